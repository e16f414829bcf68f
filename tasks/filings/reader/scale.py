"""Find the scale of each table of a filing: ones, thousands, millions or billions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.cells import YEAR, is_figure
from tasks.quantities.governing import Figures, governing
from tasks.quantities.scales import StatedScale, is_of_things, may_state, stated_in, unit_in
from tasks.quantities.units import SIGNS

# Heads of columns that have another unit than money.
_OTHER_UNIT = re.compile(
    r"%|\bpercent|\bin (?:years|months|days)\b|\bper\b|\bprice\b", re.IGNORECASE
)
_MOST_HEADS = 8  # rows


def table_scale(cells: Cells, before: Sequence[str]) -> str | None:
    """Return a table's scale from its heads, else from the paragraphs before, nearest first."""
    return scale_of(statement_of(cells, before))


def statement_of(cells: Cells, before: Sequence[str]) -> StatedScale | None:
    """Return the statement that governs a table, of its heads and the paragraphs before."""
    return governing([*reversed(before), figures_of(cells)])[0]


def scale_of(stated: StatedScale | None) -> str | None:
    """Return a table's scale by the statement that governs it."""
    return stated.any_scale if stated else None


def figures_of(cells: Cells) -> Figures:
    """Return what a table says of its scale."""
    first = next(
        (
            number
            for number, row in enumerate(cells)
            if any(
                is_figure(cell) and not YEAR.fullmatch(cell.replace(" ", "")) for cell in row[1:]
            )
        ),
        len(cells),
    )
    has_money = any(sign in cell for row in cells for cell in row for sign in SIGNS)
    heads = cells[: min(first, _MOST_HEADS)]
    whole = " ".join(map(" ".join, heads))
    rows = tuple((row[0], tuple(filter(is_figure, row[1:]))) for row in cells[first:])
    return Figures(_own(heads, whole), has_money, "(continued)" in whole.lower(), rows)


def _own(heads: Cells, whole: str) -> StatedScale | None:
    """Return what a table's heads state; a scale of only some of its columns is unclear.

    The heads of a column are read as one text, since a statement may be cut over two rows.
    `whole` is all heads as one text.
    """
    if not may_state(whole):
        return unit_in(whole)
    texts = [" ".join(filter(None, column)) for column in zip(*heads, strict=True)] or [""]
    stub, *columns = [stated_in(text) for text in texts]
    stating = {stated for stated in (stub, *columns) if stated}
    of_money = {stated.scale for stated in stating if stated.is_of_money}
    is_partial = not stub and any(map(_is_partial, heads))
    if len(stating) == 1 and not is_partial:
        return next(iter(stating))
    if not stating:
        return unit_in(whole)
    if not of_money:
        return StatedScale(None, None, False)
    counts = {stated.counts for stated in stating if not stated.is_of_money}
    is_clear = len(of_money) == 1 and not is_partial
    return StatedScale(
        next(iter(of_money)) if is_clear else None,
        next(iter(counts)) if len(counts) == 1 else None,
        True,
    )


def _is_partial(row: Sequence[str]) -> bool:
    """Whether some cells of a row state a scale, and others name neither one nor another unit."""
    named = {cell: stated_in(cell) for cell in row[1:] if cell}
    is_of_money = any(stated and stated.is_of_money for stated in named.values())
    return any(named.values()) and any(
        stated is None and not (is_of_money and (_OTHER_UNIT.search(cell) or is_of_things(cell)))
        for cell, stated in named.items()
    )
