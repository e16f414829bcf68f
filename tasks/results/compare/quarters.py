"""Quarterly releases: their names and settings."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from tasks.filings.edgar.index import quarter_before
from tasks.lake.lake import may_change
from tasks.pipeline.settings import RunSettings, WrongSettings

_QUARTER = re.compile(r"(19[0-9]{2}|20[0-9]{2})Q[1-4]")
_UNNAMED = RunSettings().release


def is_quarter(name: str) -> bool:
    """Return whether a release has a quarter's name, as `tenkbench refresh` gives."""
    return _QUARTER.fullmatch(name) is not None


def refreshed(run: RunSettings, quarter: str, today: date) -> RunSettings:
    """Return the settings of a quarter's release.

    The release is named after the quarter unless the run names another than `dev`. It reads
    EDGAR's filings of the quarter unless the run names files. It takes only new filings.

    Raises:
        WrongSettings: the quarter is invalid, or it is not over and the release would be frozen
            with part of its filings.
    """
    if not is_quarter(quarter.upper()):
        raise WrongSettings(f"write a quarter like 2026Q3, not {quarter!r}")
    if run.dataset is not None:
        raise WrongSettings(
            "a refresh reads filings; --dataset brings its own rows: use `tenkbench run` for it"
        )
    quarter = quarter.upper()
    release = quarter if run.release == _UNNAMED else run.release
    if quarter > quarter_before(today) and not may_change(release):
        raise WrongSettings(
            f"{quarter} is not over, so its frozen release would lack later filings. For the "
            f"filings up to today use --release {quarter}-dev. Run it again later with --force "
            "for newer filings."
        )
    return replace(run, release=release, filings=run.filings or f"edgar:{quarter}", new_only=True)
