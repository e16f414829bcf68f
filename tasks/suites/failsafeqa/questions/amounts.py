"""Amounts of an answer whose scale the document does not state.

A model may read "$3,751" off a table in millions. As a reference, that would be wrong by a factor
of a million, so it is no reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain, combinations

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import find_tables, stated_value

_SENTENCE_END = re.compile(r"\n|(?<=[.;])\s+(?=[A-Z*(])")
_POWERS = (0, 3, 6, 9)
_LARGE = 1000
_TELLING_DIGITS = 4  # two amounts that agree in as many, without zeros behind, are one


def amount_of_unknown_scale(context: str, answer: str) -> str | None:
    """Return an answer's first amount whose scale the context does not show, or None.

    That is a number of a table in another scale than the table's. If some table's scale is
    unknown, it is also an amount that neither the prose, a table of known scale, the difference
    of two cells of a row, nor a sum or difference of the answer's own amounts shows. Prose that
    copies a cell of a table in thousands without its scale shows no amount in whole dollars. And
    whatever else is "$58", beside a row's label it is that row's cell.
    """
    shown, in_tables, is_clear, rows = _amounts(context)
    for sentence in _SENTENCE_END.split(answer):
        said = [figure for figure in find_figures(sentence) if _may_be_cell(figure)]
        for label, cells in rows if said else ():
            copied = next((figure for figure in said if abs(figure.value) in cells), None)
            if copied and _names(sentence, label):
                return copied.text
    amounts = [figure for figure in find_figures(answer) if figure.unit == "money"]
    stated = [each for each in amounts if any(same_figure(each, other) for other in shown)]
    known = [*shown, *_derived(stated, sums=True)]
    for figure in amounts:
        digits = {abs(figure.value).scaleb(-power) for power in _POWERS}
        is_cell = bool(digits & in_tables)  # "$0.2 million" elsewhere is no proof of "$188,756"
        if any(
            same_figure(figure, other) and (_is_exact(figure, other) or not is_cell)
            for other in known
        ):
            continue
        if is_cell or not is_clear:
            return figure.text
    return None


def _names(sentence: str, label: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", sentence, re.IGNORECASE))


@lru_cache(maxsize=4)  # a context's answers come together
def _amounts(
    context: str,
) -> tuple[tuple[Figure, ...], frozenset[Decimal], bool, tuple[tuple[str, Set[Decimal]], ...]]:
    """Return the amounts shown, the bare numbers of tables, and if all their scales are known.

    Last come the labels of rows, each with its numbers that lack the table's scale.
    """
    prose = context
    shown: list[Figure] = []
    bare: set[Decimal] = set()
    scaled: set[Decimal] = set()  # of these, those of tables in thousands or more
    rows: list[tuple[str, Set[Decimal]]] = []
    is_clear = True
    for table in find_tables(context):
        blank = " " * (table.end_char - table.start_char)
        prose = prose[: table.start_char] + blank + prose[table.end_char :]
        if not table.is_money:
            continue
        is_clear &= table.scale is not None
        for row in table.rows:
            values = (stated_value(table, row, column) for column in range(len(row.values)))
            stated = [find_figures(value or "") for value in values]
            found = [find_figures(value, alone=True) for value in row.values]
            in_row = [*chain(*stated)]
            shown += in_row + _derived([each for each in in_row if each.unit == "money"])
            cells = {abs(each.value) for each in chain(*found) if each.unit in ("money", "count")}
            bare |= cells
            scaled |= cells if table.scale not in (None, "ones") else set()
            if row.label:
                rows.append((row.label, _without_scale(found, stated)))
    said = find_figures(prose)
    if any(_is_copied(figure, scaled) for figure in said):
        said = [figure for figure in said if not _is_bare(figure)]
        is_clear = False
    money = tuple(figure for figure in shown + said if figure.unit in ("money", "per_share"))
    return money, frozenset(bare), is_clear, tuple(rows)


def _without_scale(
    found: Sequence[Sequence[Figure]], stated: Sequence[Sequence[Figure]]
) -> Set[Decimal]:
    """Return the numbers of a row's cells that are amounts only in their table's scale."""
    hidden: set[Decimal] = set()
    for of_cell, of_value in zip(found, stated, strict=True):
        if of_value:
            hidden |= {abs(each.value) for each in of_cell} - {abs(each.value) for each in of_value}
    return hidden


def _is_exact(figure: Figure, other: Figure) -> bool:
    return other.decimals >= figure.decimals or abs(other.value) == abs(figure.value)


def _is_copied(figure: Figure, scaled: Set[Decimal]) -> bool:
    """Whether the prose writes a cell's digits without its scale: "$27,040" in thousands.

    Then the prose is in the tables' scale, as notes to financial statements may be.
    """
    digits = abs(figure.value).normalize().as_tuple().digits
    return _is_bare(figure) and len(digits) >= _TELLING_DIGITS and abs(figure.value) in scaled


def _may_be_cell(figure: Figure) -> bool:
    """Whether a figure may be copied from a cell of amounts: other counts are seldom so large."""
    return figure.unit == "money" or (figure.unit == "count" and abs(figure.value) >= _LARGE)


def _is_bare(figure: Figure) -> bool:
    """Whether an amount is written in whole dollars, without a scale."""
    return figure.unit == "money" and figure.decimals == 0


def _derived(figures: list[Figure], *, sums: bool = False) -> list[Figure]:
    """Return the differences of each two amounts, and their sums if asked."""
    return [
        replace(a, value=value, decimals=min(a.decimals, b.decimals))
        for a, b in combinations(figures, 2)
        for value in ((a.value - b.value, a.value + b.value) if sums else (a.value - b.value,))
    ]
