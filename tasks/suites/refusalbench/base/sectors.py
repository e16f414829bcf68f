"""Sectors of filings: divisions of the Standard Industrial Classification."""

from __future__ import annotations

from tasks.filings.edgar.query import SECTORS

UNKNOWN = "unknown"


def sector_of(sic: str | None) -> str:
    """Return the sector of a four-digit code; `unknown` without one."""
    code = int(sic) if sic and sic.isdecimal() else -1
    found = (name for name, (first, last) in SECTORS.items() if first <= code <= last)
    return next(found, UNKNOWN)
