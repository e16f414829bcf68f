"""Dates of articles: read from a column whose layout it shows as a whole, or drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from tasks.core.errors import WrongSettings
from tasks.core.ids import stable_rng

# Days between which dates are drawn: two years.
FIRST, LAST = date(2023, 1, 1), date(2024, 12, 31)

_LAYOUTS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y"),
    *("%m-%d-%Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y"),
)
# A share of unreadable cells up to which a column still holds dates.
_MOST_UNREADABLE = 0.1
_WEEKDAY = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+", re.IGNORECASE)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_WHOLE_DATE = re.compile(
    rf"\b(?:{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH}),? (?:19|20)\d\d\b"
    r"|\b(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}\b|\b\d{1,2}([-/.])\d{1,2}\2(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"[T\s]+\d{1,2}:\d\d.*$")


def read_days(cells: Sequence[str], column: str) -> list[date | None]:
    """Read a column of dates; None is a cell that is no date.

    One layout holds for the whole column, so `03/04/2021` can be read if another cell has a day
    above 12.

    Raises:
        WrongSettings: most cells are no dates, or two layouts fit and give different dates.
    """
    plain = [_TIME.sub("", _WEEKDAY.sub("", cell.strip())).replace(",", " ") for cell in cells]
    plain = [" ".join(cell.split()) for cell in plain]
    n_filled = sum(map(bool, plain))
    read = {layout: [_read(cell, layout) for cell in plain] for layout in _LAYOUTS}
    n_read = {layout: sum(day is not None for day in days) for layout, days in read.items()}
    most = max(n_read.values())
    if not most or most < (1 - _MOST_UNREADABLE) * n_filled:
        raise WrongSettings(
            f"Column '{column}' should hold dates by its name, but most of its cells do not. "
            "Correct the cells or rename the column."
        )
    best, *others = (layout for layout in _LAYOUTS if n_read[layout] == most)
    for other in others:
        if read[other] != read[best]:
            cell = next(c for c, x, y in zip(cells, read[best], read[other], strict=True) if x != y)
            raise WrongSettings(
                f"The dates of column '{column}' can be read in two ways, such as '{cell}'. "
                "Write them as YYYY-MM-DD."
            )
    return read[best]


def states_date(title: str) -> bool:
    """Return whether a title states a whole date, with its year."""
    return _WHOLE_DATE.search(title) is not None


def draw_day(seed: int, *parts: str) -> date:
    """Draw a day of two years, the same for the same seed and parts."""
    days = (LAST - FIRST).days + 1
    return FIRST + timedelta(days=stable_rng(seed, "longcontext", "day", *parts).randrange(days))


def _read(cell: str, layout: str) -> date | None:
    if not cell:
        return None
    try:
        return datetime.strptime(cell, layout).date()
    except ValueError:  # another layout
        return None
