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
from tasks.suites.shared.tables.cells import Cell, Grid, read_grid, scale_for_all, years_in
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.snippets import sheets_of

_PLACES = (
    r"\bfirst table\b|\btable 1\b",
    r"\bsecond table\b|\btable 2\b",
    r"\bthird table\b|\btable 3\b",
)
_SPAN = re.compile(
    r"\bfrom\b.*?\bto\b|\bbetween\b.*?\band\b|\bover\b|\bcompared (?:to|with)\b", re.I
)
_LEAD = re.compile(
    r"\A(?:according to|based on|in|from) [^,]*?\btable[^,]*,(?: Inc\.?[^,]*,)?\s*", re.I
)
_PERCENT = re.compile(r"\bpercent(?:age)?\b|%|\bgrowth rate\b", re.I)
_SHARES = (
    re.compile(
        r"\b(?:percentage|percent|share|portion|proportion|fraction) of (?P<whole>.+?)"
        r"\s(?:did|does|do|was|were|is|are|came|comes|represented)\s(?P<part>.+)",
        re.I,
    ),
    re.compile(r"(?P<part>.+?)\bas an? (?:percentage|percent|share) of (?P<whole>.+)", re.I),
)
_TWO_ROWS = (
    ("-", re.compile(r"\bdid (?P<one>.+?) exceed (?P<other>.+)", re.I)),
    ("-", re.compile(r"\bdifference between (?P<one>.+?) and (?P<other>.+)", re.I)),
    (
        "-",
        re.compile(
            r"\bhow much (?:higher|larger|more) (?:was|were|is) (?P<one>.+?) than (?P<other>.+)",
            re.I,
        ),
    ),
    (
        "+",
        re.compile(
            r"\b(?:combined|total|sum|aggregate)\b.*? of (?P<one>.+?) and (?P<other>.+)", re.I
        ),
    ),
)
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
    level: str = "easy"


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
    for place, pattern in enumerate(_PLACES, start=1):
        if re.search(pattern, query, re.I):
            rows = [row for row in rows if row.grid.index == place] or rows
    asked = _LEAD.sub("", query)
    return (
        _share(rows, asked)
        or _of_two_rows(rows, asked)
        or _over_time(rows, asked)
        or _cell(rows, asked)
    )


def cells_of(context: str) -> list[Cell]:
    """Return all numbers of a snippet's tables."""
    return [cell for row in _rows_of(context) for cell in row.cells]


def figures_of(context: str, query: str, most: int = 3) -> list[tuple[_Row, list[Cell]]]:
    """Find the two rows that a question most speaks of, each with its latest cells."""
    rows = _rows_of(context)
    ranked = _ranked(rows, query)[:2]
    years = years_in(query)
    return [
        (row, ([c for c in row.cells if _year(row, c) in years] or row.cells)[:most])
        for row, _ in ranked
    ]


@lru_cache(maxsize=16)  # all questions of a snippet read the same tables
def _rows_of(context: str) -> list[_Row]:
    sheets = sheets_of(context)
    usual = scale_for_all(sheets)
    rows = []
    for sheet in sheets:
        grid = read_grid(sheet, usual)
        for r in sorted({r for r, _ in grid.cells}):
            line = grid.rows[r]
            rows.append(_Row(grid, r, term_set(line.text), term_set(line.above)))
    return rows


# --- operations ----------------------------------------------------------------------------


def _share(rows: Sequence[_Row], query: str) -> Found | None:
    match = next((m for p in _SHARES if (m := p.search(query))), None)
    if match is None:
        return None
    whole, part = _best(rows, match["whole"], query), _best(rows, match["part"], query)
    if whole is None or part is None or whole[1].value == 0 or whole[1] is part[1]:
        return None
    value = 100 * part[1].value / whole[1].value
    steps = f"{_said(*part)}; {_said(*whole)}. The share is A / B * 100."
    return Found(percent(value), steps, (part[1], whole[1]), "medium")


def _of_two_rows(rows: Sequence[_Row], query: str) -> Found | None:
    for sign, pattern in _TWO_ROWS:
        match = pattern.search(query)
        if match is None or len(years_in(match["one"])) > 0:
            continue
        one, other = _best(rows, match["one"], query), _best(rows, match["other"], query)
        if one is None or other is None or one[1] is other[1]:
            continue
        a, b = one[1].value, other[1].value
        value = a + b if sign == "+" else abs(a - b)
        steps = f"{_said(*one)}; {_said(*other)}. Then A {sign} B."
        return Found(_written(one[1], value), steps, (one[1], other[1]), "medium")
    return None


def _over_time(rows: Sequence[_Row], query: str) -> Found | None:
    years = sorted(years_in(query))
    is_average = bool(_AVERAGE.search(query))
    if len(years) < 2 or not (is_average or _MOVES.search(query)):
        return None
    if is_average and _SPAN.search(query) and len(years) == 2 and " and " not in query:
        years = list(range(years[0], years[-1] + 1))
    for row, _ in _ranked(rows, query):
        cells = [cell for year in years if (cell := _of_year(row, year, query))]
        if len(cells) < len(years):
            continue
        said = "; ".join(_said(row, cell) for cell in cells)
        if is_average:
            mean = sum((cell.value for cell in cells), Decimal(0)) / len(cells)
            return Found(
                _written(cells[0], mean), f"{said}. Then their mean.", tuple(cells), "medium"
            )
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
        return Found(answer, f"{said}. Then compare them.", (old, new), "medium")
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
        if cell := _column(row, query):
            return row, cell
    return None


def _column(row: _Row, query: str) -> Cell | None:
    years = years_in(query)
    wanted = term_set(query)
    cells = row.cells
    if years and any(_year(row, cell) for cell in cells):
        cells = [cell for cell in cells if _year(row, cell) in years]
    return max(cells, key=lambda cell: _overlap(row, cell, wanted), default=None)


def _of_year(row: _Row, year: int, query: str) -> Cell | None:
    wanted = term_set(query)
    cells = [cell for cell in row.cells if _year(row, cell) == year]
    return max(cells, key=lambda cell: _overlap(row, cell, wanted), default=None)


def _overlap(row: _Row, cell: Cell, wanted: frozenset[str]) -> float:
    terms = term_set(row.grid.columns[cell.column].text)
    return len(terms & wanted) - 0.5 * len(terms - wanted)


def _year(row: _Row, cell: Cell) -> int | None:
    years = row.grid.years_of(cell)
    return years[0] if len(years) == 1 and not row.grid.is_change(cell) else None


def _written(cell: Cell, value: Decimal) -> str:
    """Write a value as its cell would be written, with unit and scale."""
    symbol = next((sign for sign in "€£¥" if sign in cell.text), "$")
    form = form_of(cell, symbol, "%" if cell.unit == "percent" else "")
    return form.write(value) if form else cell.text


def _said(row: _Row, cell: Cell) -> str:
    head = row.grid.columns[cell.column].text
    return f"table {cell.table_index}, {row.grid.rows[row.r].text}, {head}: {cell.text}"


def said_in_words(context: str, query: str) -> Iterator[str]:
    """State the figures that a question most speaks of, a sentence a row."""
    for row, cells in figures_of(context, query):
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
