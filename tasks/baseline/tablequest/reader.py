"""The weightless reader: answers a question from a snippet's tables by its words.

It sees what a model would see. It finds rows and columns by the terms and years that they share
with the question, and the operation by keywords.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import log

from tasks.baseline.tablequest.amounts import form_of, percent
from tasks.baseline.tablequest.drafts import PLACES
from tasks.quantities.units import SIGNS
from tasks.suites.shared.tables.cells import Cell, Grid, years_in
from tasks.suites.shared.tables.expressions import evaluate_expression
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.questions.named_cells import Tables

_LEAD = re.compile(
    r"\A(?:according to|based on|in|from) .*?\btable\b.*?,\s*(?=(?:what|which|by|how)\b)", re.I
)
_PERCENT = re.compile(r"\bpercent(?:age)?\b|%|\bgrowth rate\b", re.I)
_IS = r"(?:did|does|do|was|were|is|are|came|comes|represented)"
# Questions on two rows, and how they are answered.
_TWO_ROWS = [
    (re.compile(pattern, re.I), calculation)
    for pattern, calculation in (
        (
            r"\b(?:percentage|percent|share|portion|proportion|fraction) of "
            rf"(?P<B>.+?)\s{_IS}\s(?P<A>.+)",
            "A / B * 100",
        ),
        (r"(?P<A>.+?)\bas an? (?:percentage|percent|share) of (?P<B>.+)", "A / B * 100"),
        (r"\bdid (?P<A>.+?) exceed (?P<B>.+)", "A - B"),
        (r"\bdifference between (?P<A>.+?) and (?P<B>.+)", "A - B"),
        (r"\bhow much (?:higher|larger|more) (?:was|were|is) (?P<A>.+?) than (?P<B>.+)", "A - B"),
        (r"\b(?:combined|total|sum|aggregate)\b.*? of (?P<A>.+?) and (?P<B>.+)", "A + B"),
    )
]
_AVERAGE = re.compile(r"\b(?:average|mean) (?:of|annual|yearly)\b|\bon average\b", re.I)
_MOVES = re.compile(
    r"\b(?:change|increase|decrease|grow|growth|decline|rise|fall|drop|difference)\w*\b|\bgrew\b|\bfell\b|\brose\b",
    re.I,
)
_FALLS = re.compile(r"\b(?:decrease|decline|fall|drop)\w*\b|\bfell\b", re.I)
NOT_FOUND = "not found in the tables"


@dataclass(frozen=True, slots=True)
class Found:
    """An answer with its steps; the cells it was computed from."""

    answer: str
    steps: str
    cells: tuple[Cell, ...] = ()

    @property
    def level(self) -> str:
        """Tell a calculation from a cell."""
        return "medium" if len(self.cells) > 1 else "easy"


@dataclass(frozen=True, slots=True)
class _Row:
    grid: Grid
    r: int
    terms: frozenset[str]
    above: frozenset[str]

    @property
    def cells(self) -> list[Cell]:
        return [cell for (r, _), cell in sorted(self.grid.cells.items()) if r == self.r]


def read(context: str, query: str) -> Found:
    """Answer a question that asks for a cell, or for a calculation over two or three."""
    rows = _rows_of(context)
    for place, word in enumerate(PLACES, start=1):
        if re.search(rf"\b{word} table\b|\btable {place}\b", query, re.I):
            rows = [row for row in rows if row.grid.index == place] or rows
    asked = _LEAD.sub("", query)
    return _of_two_rows(rows, asked) or _over_time(rows, asked) or _cell(rows, asked)


def cells_of(context: str) -> list[Cell]:
    """Return all numbers of a snippet's tables."""
    return [cell for row in _rows_of(context) for cell in row.cells]


@lru_cache(maxsize=16)  # all questions of a snippet read the same tables
def _rows_of(context: str) -> list[_Row]:
    rows = []
    for grid in Tables(context).grids.values():
        for r in sorted({r for r, _ in grid.cells}):
            line = grid.rows[r]
            rows.append(_Row(grid, r, term_set(line.text), term_set(line.above)))
    return rows


# --- operations ----------------------------------------------------------------------------


def _of_two_rows(rows: Sequence[_Row], query: str) -> Found | None:
    for pattern, calculation in _TWO_ROWS:
        match = pattern.search(query)
        if match is None or ("/" not in calculation and years_in(match["A"])):
            continue
        one, other = _best(rows, match["A"], query), _best(rows, match["B"], query)
        if one is None or other is None or one[1] is other[1] or other[1].value == 0:
            continue
        cells = (one[1], other[1])
        values = {name: cell.value for name, cell in zip("AB", cells, strict=True)}
        value = evaluate_expression(calculation, values, Decimal)
        is_share = "/" in calculation
        answer = percent(value) if is_share else _written(one[1], abs(value))
        steps = f"A = {_said(*one)}; B = {_said(*other)}. Then {calculation}."
        return Found(answer, steps, cells)
    return None


def _over_time(rows: Sequence[_Row], query: str) -> Found | None:
    years = sorted(years_in(query))
    is_average = bool(_AVERAGE.search(query))
    if len(years) < 2 or not (is_average or _MOVES.search(query)):
        return None
    if is_average and len(years) == 2 and " to " in query:
        years = list(range(years[0], years[-1] + 1))
    for row, _ in _ranked(rows, query):
        found = [_column(row, query, (year,)) for year in years]
        cells = [cell for cell in found if cell and _year(row, cell)]
        if len(cells) < len(years):
            continue
        said = "; ".join(_said(row, cell) for cell in cells)
        if is_average:
            answer = _written(
                cells[0], sum((cell.value for cell in cells), Decimal(0)) / len(cells)
            )
            return Found(answer, f"{said}. Then their mean.", tuple(cells))
        old, new = cells[0], cells[-1]
        gap = new.value - old.value
        if _FALLS.search(query):
            gap = -gap
        if _PERCENT.search(query) and new.unit != "percent":
            if old.value == 0:
                return None
            answer = percent(100 * gap / abs(old.value))
        else:
            answer = _written(new, gap)
        return Found(answer, f"{said}. Then compare them.", (old, new))
    return None


def _cell(rows: Sequence[_Row], query: str) -> Found:
    best = _best(rows, query, query)
    if best is None:
        return Found(NOT_FOUND, "no row shares its words with the question")
    return Found(_written(best[1], best[1].value), _said(*best), (best[1],))


# --- rows and columns ----------------------------------------------------------------------


def _ranked(rows: Sequence[_Row], text: str) -> list[tuple[_Row, float]]:
    """Rank rows by the rare terms that their labels share with a text."""
    wanted = term_set(text)
    counts = Counter(term for row in rows for term in row.terms)

    def weight(terms: frozenset[str]) -> float:
        return sum(log(2 + len(rows) / (1 + counts[term])) for term in terms)

    scored = []
    for row in rows:
        shared = weight(row.terms & wanted)
        if shared:
            precision, recall = shared / weight(row.terms), shared / max(weight(wanted), 1e-9)
            beside = row.above | term_set(row.grid.pre_text)
            bonus = 0.1 * len(beside & wanted) / max(len(beside), 1)
            scored.append((row, 2 * precision * recall / (precision + recall) + bonus))
    return sorted(scored, key=lambda pair: -pair[1])


def _best(rows: Sequence[_Row], text: str, query: str) -> tuple[_Row, Cell] | None:
    """Find the row that a text names, and in it the column that the question names."""
    for row, _ in _ranked(rows, text):
        if cell := _column(row, query, years_in(query)):
            return row, cell
    return None


def _column(row: _Row, query: str, years: Sequence[int]) -> Cell | None:
    """Choose the cell of the years whose head has most words of the question, and few others."""
    wanted, cells = term_set(query), row.cells
    if years and any(_year(row, cell) for cell in cells):
        cells = [cell for cell in cells if _year(row, cell) in years]

    def overlap(cell: Cell) -> float:
        terms = term_set(row.grid.columns[cell.column].text)
        return len(terms & wanted) - 0.5 * len(terms - wanted)

    return max(cells, key=overlap, default=None)


def _year(row: _Row, cell: Cell) -> int | None:
    years = row.grid.years_of(cell)
    return years[0] if len(years) == 1 and not row.grid.is_change(cell) else None


def _written(cell: Cell, value: Decimal) -> str:
    """Write a value as its cell would be written, with unit and scale."""
    symbol = next((sign for sign in SIGNS if sign in cell.text), "$")
    form = form_of(cell, symbol, "%" if cell.unit == "percent" else "")
    return form.write(value) if form else cell.text


def _said(row: _Row, cell: Cell) -> str:
    head = row.grid.columns[cell.column].text
    return f"table {cell.table_index}, {row.grid.rows[row.r].text}, {head}: {cell.text}"


def said_in_words(context: str, query: str) -> Iterator[str]:
    """State the figures of the two rows that a question most speaks of, a sentence a row."""
    years = years_in(query)
    for row, _ in _ranked(_rows_of(context), query)[:2]:
        cells = ([cell for cell in row.cells if _year(row, cell) in years] or row.cells)[:3]
        label = row.grid.rows[row.r].text
        stated = [
            f"{_written(cell, cell.value)} ({row.grid.columns[cell.column].text})" for cell in cells
        ]
        sentence = f"{label}: {', '.join(stated)}"
        by_year = {year: cell for cell in cells if (year := _year(row, cell))}
        if len(by_year) > 1 and (old := by_year[min(by_year)]).value:
            change = 100 * (by_year[max(by_year)].value - old.value) / abs(old.value)
            sentence += f", {'up' if change > 0 else 'down'} {percent(abs(change))}"
        yield f"{sentence}."
