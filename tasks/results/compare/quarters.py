"""A release of a quarter: which quarter, what it is called, and what is read for it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from tasks.core.settings import RefreshSettings, WrongSettings
from tasks.filings.edgar.index import quarter_before
from tasks.lake.lake import may_change

_QUARTER = re.compile(r"(19[0-9]{2}|20[0-9]{2})Q[1-4]")
_UNNAMED = RefreshSettings().release


def is_quarter(name: str) -> bool:
    """Whether a release is called after a quarter, as those are that `tenkbench refresh` makes."""
    return _QUARTER.fullmatch(name) is not None


def refreshed(run: RefreshSettings, quarter: str, today: date) -> RefreshSettings:
    """The settings with which a quarter's release is made.

    It is called after the quarter unless the run names it, and takes what EDGAR has of the quarter unless the run names
    files; of these, new filings only.

    Raises:
        WrongSettings: no such quarter, or one that is not over, which would freeze with a part of its filings.
    """
    if not is_quarter(quarter.upper()):
        raise WrongSettings(f"a quarter is written 2026Q3, not {quarter!r}")
    if run.dataset is not None:
        raise WrongSettings(
            "a refresh reads filings; --dataset brings its own rows: use `tenkbench run` for it"
        )
    quarter = quarter.upper()
    release = quarter if run.release == _UNNAMED else run.release
    if quarter > quarter_before(today) and not may_change(release):
        raise WrongSettings(
            f"{quarter} is not over, and its release would be frozen without what is filed until then; for what there is "
            f"today use --release {quarter}-dev, and --force with it another day, for what was filed since"
        )
    return replace(run, release=release, filings=run.filings or f"edgar:{quarter}", new_only=True)
