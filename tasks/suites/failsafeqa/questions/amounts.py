"""Amounts of an answer whose scale the document does not state.

A model may read "$3,751" off a table in millions. As a reference, that would be wrong by a factor
of a million, so it is no reference.
"""

from __future__ import annotations

from functools import lru_cache

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import Table, find_tables, stated_value

_POWERS = (0, 3, 6, 9)


def amount_of_unknown_scale(context: str, answer: str) -> str | None:
    """Return an answer's first amount that only a table of unknown scale has, or None."""
    stated, unknown = _amounts(context)
    for figure in find_figures(answer):
        if figure.unit != "money" or any(same_figure(figure, other) for other in stated):
            continue
        digits = {abs(figure.value).scaleb(-power) for power in _POWERS}
        if digits & unknown:
            return figure.text
    return None


@lru_cache(maxsize=4)  # a context's answers come together
def _amounts(context: str) -> tuple[tuple[Figure, ...], frozenset[object]]:
    """Return a context's amounts, and the numbers in tables whose scale is unknown."""
    tables = find_tables(context)
    unclear = [table for table in tables if table.scale is None and table.is_money]
    prose = context
    for table in unclear:
        blank = " " * (table.end_char - table.start_char)
        prose = prose[: table.start_char] + blank + prose[table.end_char :]
    stated = [figure for figure in find_figures(prose) if figure.unit in ("money", "per_share")]
    stated += [figure for table in tables for figure in _stated(table)]
    unknown = {
        abs(figure.value)
        for table in unclear
        for figure in find_figures(context[table.start_char : table.end_char])
        if figure.unit in ("money", "count")
    }
    return tuple(stated), frozenset(unknown)


def _stated(table: Table) -> list[Figure]:
    return [
        figure
        for row in table.rows
        for column in range(len(row.values))
        for figure in find_figures(stated_value(table, row, column) or "")
    ]
