"""Whether downloads from EDGAR can name themselves."""

from __future__ import annotations

from tasks.core.errors import WrongSettings
from tasks.core.findings import Finding
from tasks.filings.edgar.query import EdgarAccess


def edgar(contact: str | None) -> list[Finding]:
    """Whether the contact is one that the SEC asks for; nothing is sent to it.

    Args:
        contact: a company's name and an e-mail address.
    """
    if contact is None:
        nothing = "no TENKBENCH_CONTACT: needed for --filings edgar: only"
        return [Finding("EDGAR", "not checked", nothing)]
    try:
        EdgarAccess(contact=contact).checked_contact()
    except WrongSettings as wrong:
        return [Finding("EDGAR", "not ok", "the contact is none", str(wrong))]
    return [Finding("EDGAR", "ok", f"downloads call themselves {contact}")]
