"""Check of the contact for downloads from EDGAR."""

from __future__ import annotations

from tasks.core.errors import WrongSettings
from tasks.core.findings import Finding
from tasks.filings.edgar.query import EdgarAccess


def edgar(contact: str | None) -> list[Finding]:
    """Check that the contact meets the SEC's rules, without sending anything.

    Args:
        contact: a company's name and an e-mail address.
    """
    if contact is None:
        nothing = "no TENKBENCH_CONTACT: only --filings edgar: needs it"
        return [Finding("EDGAR", "not checked", nothing)]
    try:
        EdgarAccess(contact=contact).checked_contact()
    except WrongSettings as wrong:
        return [Finding("EDGAR", "not ok", "invalid contact", str(wrong))]
    return [Finding("EDGAR", "ok", f"downloads name {contact}")]
