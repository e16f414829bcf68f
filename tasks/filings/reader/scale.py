"""Find the scale of a table's figures: thousands, millions or billions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.cells import is_figure

_WORDS = re.compile(
    r"\b(?:in|of|dollars|amounts?|expressed in|stated in)\s+(?:u\.?s\.?\s+)?(?:\$\s*)?"
    r"(thousand|million|billion)s?\b"
    r"|\b(thousand|million|billion)s\s+of\s+(?:u\.?s\.?\s+)?(?:dollars|units|shares|euros?)"
    r"|\(\s*(?:\$|dollars|amounts?)?\s*(?:in\s+)?(thousand|million|billion)s?\b"
    r"|^(?:\$|dollars|amounts?)\s*(?:in\s+)?(thousand|million|billion)s\b",
    re.IGNORECASE,
)
_ZEROS = re.compile(r"[$(\s](000)(?:,?000)?['’]?s?\b(?!,)|\b(000)['’]s\b")
_YEAR = re.compile(r"(?:19|20)\d\d(?:\(\w\))?")


def scale_in(text: str) -> str | None:
    """Return the scale in a phrase such as "(in thousands)" or "$000's omitted", or None."""
    found = _WORDS.search(text)
    if found:
        return f"{next(word for word in found.groups() if word).lower()}s"
    zeros = _ZEROS.search(text) if "000" in text else None
    if zeros is None:
        return None
    return "millions" if "000,000" in zeros[0] else "thousands"


def table_scale(cells: Cells, before: Sequence[str]) -> str | None:
    """Return a table's scale from its headings, else from the paragraphs before, nearest first.

    A scale in only some columns' headings, such as "shares (in thousands)" beside a price, is not
    the whole table's.
    """
    for row in cells[:8]:
        if any(is_figure(cell) and not _YEAR.fullmatch(cell) for cell in row[1:]):
            break
        if row and (scale := scale_in(row[0])):
            return scale
        named = [scale_in(cell) for cell in row[1:] if cell]
        if named and named[0] and len(set(named)) == 1:
            return named[0]
        if any(named):
            return None
    for distance, text in enumerate(before):
        if distance and len(text) > 200:
            break
        if scale := scale_in(text[-300:]):
            return scale
    return None
