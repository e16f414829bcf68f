"""Tables as grids of numbers: each cell's value, unit and names.

Only what the sheet shows is used. A number of uncertain scale takes the table's. A number that
cannot be read is no cell, so nothing is derived from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Literal

from tasks.filings.reader.scale import statement_of, table_scale
from tasks.quantities.scales import NAMES_ITS_UNIT, POWERS, scale_in
from tasks.quantities.text_tables import YEAR
from tasks.quantities.units import CURRENCY, MONEY
from tasks.suites.shared.tables.sheets import Sheet

Unit = Literal["money", "percent", "rate", "amount"]

_NUMBER = re.compile(
    rf"(?P<word>up|down)?\s*(?P<open>[-−–(]?\s*)(?P<currency>{CURRENCY})?\s*(?P<open2>[-−(]?)\s*"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(?P<close>\)?)\s*"
    r"(?P<mark>%|percent|pts?\.?|points|bps|¢)?"
    rf"(?P<currency2>{CURRENCY})?\s*(?P<close2>\)?)(?:\s*(?:\((?:\d|[a-z])\)|\*{{1,3}}))?",
    re.IGNORECASE,
)
_MOST_DIGITS = 25  # a longer number is no quantity of a filing
_PERCENT_MARKS = ("%", "percent", "pt", "pt.", "pts", "pts.", "points")
_CLOSER = re.compile(r"\)?\s*%?\)?")
_CURRENCY = re.compile(rf"{CURRENCY}\s*\(?|\(")
_SHORT_YEAR = re.compile(r"[’'‘](\d\d)\b")
_IS_CHANGE = re.compile(
    r"\b(?:change[sd]?|increases?|decreases?|variance|growth|inc|dec(?!\.?\s+\d)|vs\.?|versus|difference|fluctuation)\b|\(decrease\)",
    re.IGNORECASE,
)
_IS_PERCENT = re.compile(
    r"%|\b(?:percent(?:age)?s?|as a percent|margin rate|effective (?:income )?tax rates?)\b",
    re.IGNORECASE,
)
_IS_RATE = re.compile(
    r"\bper\s(?!cent|day\b)(?:\w+[ -]){0,4}\w+|\beps\b|/\s?(?:lb|bbl|boe|share|unit|ton|mcf)\b",
    re.IGNORECASE,
)
_IS_NAMED_RATE = re.compile(r"\brates?\b|\byields?\b|\bmargin\b", re.IGNORECASE)
_SCALE_CLAUSE = re.compile(r"([\w ,$-]*?)\bin (thousand|million|billion)s?\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\bexcept\b(.*)", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:shares|number|employees|units?|stores|volumes?|barrels|tons|tonnage|carloads|customers"
    r"|headcount|wells|acres|square feet|subscribers|mmboe|mmbbl|bcf|mboe|production \("
    r"|impressions|clicks|policies|days?)\b",
    re.IGNORECASE,
)
# A row of counts in a table of amounts; `Tax on vested shares` is an amount.
_NAMES_COUNT = re.compile(
    r"(?:(?:total|basic|diluted|average|weighted[- ]average|common)\s)*(?:number of|shares)\b",
    re.IGNORECASE,
)
_LEAST_NO_PERCENT = 1_000  # a number this large without a percent sign is no percentage
_WORD = re.compile(r"[a-z]+")
_DASHED = re.compile(r"[$]?\s*[-–—]+\s?%?|N/?[AM]|\*+")
# A row that states something about the row above it.
_OF_ROW_ABOVE = re.compile(
    r"(?:consolidated |as )?(?:an? )?(?:as a )?(?:%|percent(?:age)?s?)(?: of| to|\Z)|percent point",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table."""

    table_index: int
    row: int
    column: int
    text: str
    value: Decimal  # in ones of its unit: dollars, percent, dollars per thing, things
    decimals: int  # stated digits after the point; negative in a table of thousands (-3)
    unit: Unit  # rate: so much per thing; amount: a bare number, money or a count


@dataclass(frozen=True, slots=True)
class TableLine:
    """One row or one column: its name, and the years of its figures."""

    text: str  # its own words
    above: str  # for a row, the label that opens its section
    years: tuple[int, ...]  # in order; two if it compares
    is_change: bool  # whether it states changes between two periods


@dataclass(frozen=True, slots=True)
class Grid:
    """One table, parsed."""

    index: int
    pre_text: str
    rows: tuple[TableLine, ...]
    columns: tuple[TableLine, ...]
    cells: dict[tuple[int, int], Cell]

    def years_of(self, cell: Cell) -> tuple[int, ...]:
        """Find the years that the cell's column, or else its row, names."""
        return self.columns[cell.column].years or self.rows[cell.row].years

    def is_change(self, cell: Cell) -> bool:
        """Check whether the cell itself states a change."""
        return self.columns[cell.column].is_change or self.rows[cell.row].is_change


def years_in(text: str) -> tuple[int, ...]:
    """Find the years that a text names, in order, each once: `2024`, or `’24` in column heads."""
    years = [(match.start(), int(match[0])) for match in YEAR.finditer(text)]
    years += [
        (match.start(), 2000 + int(match[1]) - (100 if int(match[1]) > 70 else 0))
        for match in _SHORT_YEAR.finditer(text)
    ]
    return tuple(dict.fromkeys(year for _, year in sorted(years)))


def scale_for_all(sheets: Sequence[Sheet]) -> str:
    """Find the scale that most of a context's tables state, if any."""
    stated = Counter(
        scale for sheet in sheets if (scale := table_scale(sheet.cells, [sheet.pre_text]))
    )
    return stated.most_common(1)[0][0] if stated else ""


def scale_note(scale: str | None, of: str = "") -> str:
    """Write the scale of a table that does not state it, or of some of its figures."""
    return f"({of}in {'whole dollars' if scale == 'ones' else scale})"


def read_grid(sheet: Sheet, usual_scale: str = "") -> Grid:
    """Read a table's numbers with their names; `usual_scale` is of the tables beside it."""
    return _Reader(sheet, usual_scale).grid()


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    decimals: int
    mark: str  # %, bps, ¢ or ""
    has_currency: bool


class _Reader:
    def __init__(self, sheet: Sheet, usual_scale: str) -> None:
        self.sheet = sheet
        self.cells = sheet.cells
        self.numbers = {
            (r, c): number
            for r, row in enumerate(sheet.cells)
            for c in range(1, len(row))
            if (number := _read_number(row, c)) is not None
        }
        # places of numbers besides years
        self.values = {(r, c) for r, c in self.numbers if not YEAR.match(self.cells[r][c].strip())}
        # the heads end at the first row with one
        self.first_row = min((r for r, _ in self.values), default=len(sheet.cells))
        self.has_money = any(re.search(MONEY, cell) for row in sheet.cells for cell in row)
        stated = statement_of(sheet.cells, [sheet.pre_text])
        self.scale = (stated.any_scale or "") if stated else ""
        self.counts = (stated.counts or self.scale) if stated else ""
        if stated is None and self.has_money and not self._is_in_ones():
            self.scale = self.counts = usual_scale

    def grid(self) -> Grid:
        rows, columns = self._rows(), self._columns()
        rows_of_values = {r for r, _ in self.values}
        cells = {
            (r, c): self._cell(r, c, number, rows[r], columns[c])
            for (r, c), number in self.numbers.items()
            if r in rows_of_values  # other rows are heads
        }
        return Grid(self.sheet.index, self.sheet.pre_text, tuple(rows), tuple(columns), cells)

    def _is_in_ones(self) -> bool:
        """Check whether the numbers are too long or too exact to be thousands."""
        return any(
            abs(number.value) >= 10**8
            or (number.decimals == 2 and number.has_currency and number.value >= 1000)
            for number in self.numbers.values()
        )

    # --- names

    def _rows(self) -> list[TableLine]:
        lines: list[TableLine] = []
        with_numbers = {r for r, _ in self.numbers}
        section = own = ""  # the label that opens the section; that of the last row about itself
        for r, row in enumerate(self.cells):
            label, has_numbers = row[0].strip() if row else "", r in with_numbers
            if label and not has_numbers and not any(_DASHED.fullmatch(c.strip()) for c in row[1:]):
                section = label if r >= self.first_row or not _is_caption(label) else section
            above = section if has_numbers else ""
            if _OF_ROW_ABOVE.match(label):
                above = own or above
            else:
                own = label
            lines.append(_line_of(label, above))
            closes = label.lower().startswith("total") or label == section.rstrip(": ")
            if closes and has_numbers and not years_in(label):
                section = ""
        return lines

    def _columns(self) -> list[TableLine]:
        heads = [""] * max(map(len, self.cells), default=0)
        for row in self.cells[: self.first_row]:
            spans_all = len({cell for cell in row[1:] if cell.strip()}) == 1 and all(row[1:])
            for c, text in enumerate(map(str.strip, row)):
                if c and text not in heads[c] and not (spans_all and _is_caption(text)):
                    heads[c] = f"{heads[c]} {text}".strip()
        lines = [_line_of(head) for head in heads]
        dated = {
            c: line.years[0] for c, line in enumerate(lines) if line.years and not line.is_change
        }
        return [
            replace(line, years=_years_around(c, dated))
            if line.is_change and not line.years
            else line
            for c, line in enumerate(lines)
        ]

    # --- units

    def _cell(self, r: int, c: int, number: _Number, row: TableLine, column: TableLine) -> Cell:
        unit = self._unit(r, c, number, row, column)
        value, decimals = number.value, number.decimals
        if number.mark in ("bps", "¢"):
            value, decimals = value / 100, decimals + 2
        is_scaled = unit == "money" or (
            unit == "amount" and not NAMES_ITS_UNIT.search(f"{row.text} {column.text}")
        )
        is_count = _COUNTED.search(column.text) or _NAMES_COUNT.match(row.text)
        usual = self.counts if unit == "amount" and is_count else self.scale
        power = POWERS.get(self._scale_of(row, column, usual), 0) if is_scaled else 0
        text = self.cells[r][c]
        return Cell(self.sheet.index, r, c, text, value.scaleb(power), decimals - power, unit)

    def _unit(self, r: int, c: int, number: _Number, row: TableLine, column: TableLine) -> Unit:
        if number.mark and number.mark != "¢":
            return "percent"
        is_rate = (
            _IS_RATE.search(row.text)
            or _IS_RATE.search(column.text)
            or (_IS_RATE.search(row.above) and number.decimals > 0)
        )
        if number.has_currency or number.mark:
            return "rate" if is_rate or self._is_small(number, row, column) else "money"
        may_be_percent = abs(number.value) < _LEAST_NO_PERCENT
        if may_be_percent and _IS_PERCENT.search(column.text):
            return "percent"
        if "$" in column.text:
            return "rate" if _IS_RATE.search(column.text) else "money"
        if is_rate:
            return "rate"
        says_percent = _IS_PERCENT.search(row.text) or (r, c) in self._below_percents
        if may_be_percent and (says_percent or self._is_named_percent(r, row)):
            return "percent"
        is_counted = _COUNTED.search(f"{row.text} {row.above} {column.text}")
        return "money" if self.has_money and not is_counted else "amount"

    def _is_named_percent(self, r: int, row: TableLine) -> bool:
        """Check whether a section's head, a table without amounts or a rate's row says percent."""
        words = row.above if self.has_money else f"{self.sheet.pre_text}\n{row.above}"
        is_rate = _IS_NAMED_RATE.search(row.text) and any("%" in cell for cell in self.cells[r])
        return bool(_IS_PERCENT.search(words) or is_rate)

    def _is_small(self, number: _Number, row: TableLine, column: TableLine) -> bool:
        """Check for an amount per thing: `$0.27` in a table of thousands."""
        is_exact = number.decimals == 2 and abs(number.value) < 1000 and not self._has_cents
        return is_exact and POWERS.get(self._scale_of(row, column, self.scale), 0) > 0

    @cached_property
    def _has_cents(self) -> bool:
        """Whether the table states most of its amounts with two decimals."""
        amounts = [number.decimals for number in self.numbers.values() if number.mark == ""]
        return amounts.count(2) * 2 > len(amounts)

    @cached_property
    def _below_percents(self) -> set[tuple[int, int]]:
        """The numbers of columns whose first one has a percent sign, until a currency sign."""
        places: set[tuple[int, int]] = set()
        is_percent: dict[int, bool | None] = {}  # by column; None: its first number has no sign
        for (r, c), number in self.numbers.items():  # rows from the top
            if r < self.first_row or is_percent.get(c, False) is None:
                continue
            if number.mark == "%":
                is_percent[c] = True
            elif c not in is_percent:
                is_percent[c] = None
            elif number.has_currency:
                is_percent[c] = False
            elif is_percent[c]:
                places.add((r, c))
        return places

    def _scale_of(self, row: TableLine, column: TableLine, usual: str) -> str:
        """Find a cell's scale: its row's, column's, caption clause's, or else the usual one."""
        own = scale_in(column.text) or scale_in(row.text) or scale_in(row.above)
        if own:
            return own
        has_exception, clauses = self._clauses
        if not has_exception and len({scale.lower() for _, scale in clauses}) < 2:
            return usual
        words = set(_WORD.findall(f"{row.text} {row.above} {column.text}".lower()))
        shared = [len(words & set(_WORD.findall(clause.lower()))) for clause, _ in clauses]
        best = max(shared, default=0)
        if not best or (has_exception and best == 1 and not _COUNTED.search(" ".join(words))):
            return usual
        scales = [scale for n, (_, scale) in zip(shared, clauses, strict=True) if n == best]
        return f"{max(scales).lower()}s"

    @cached_property
    def _clauses(self) -> tuple[bool, list[tuple[str, str]]]:
        """Return what states a scale: the caption's exception if it has one, else all of it."""
        heads = " ".join(
            cell for row in self.cells[: self.first_row] for cell in dict.fromkeys(row)
        )
        caption = f"{self.sheet.pre_text[-400:]} {heads}"
        excepted = _EXCEPT.search(caption)
        return bool(excepted), _SCALE_CLAUSE.findall(excepted[1] if excepted else caption)


def _line_of(text: str, above: str = "") -> TableLine:
    return TableLine(text, above, years_in(text), bool(_IS_CHANGE.search(text)))


def _years_around(c: int, dated: Mapping[int, int]) -> tuple[int, ...]:
    """Return the years that a column of changes compares, those of the columns around it."""
    left = [year for place, year in dated.items() if place < c]
    right = [year for place, year in dated.items() if place > c]
    if left and right:
        return left[-1], right[0]
    return tuple(sorted(left[:2], reverse=True)) if len(left) >= 2 else ()


def _read_number(row: Sequence[str], c: int) -> _Number | None:
    """Read a cell's number; the cell before may have its currency, the one after its bracket."""
    text = row[c].strip()
    if not any(map(str.isdigit, text)):
        return None
    if c + 1 < len(row) and (after := row[c + 1].strip()) and _CLOSER.fullmatch(after):
        text += after
    if c > 1 and _CURRENCY.fullmatch(before := row[c - 1].strip()):
        text = before + text
    match = _NUMBER.fullmatch(text)
    digits = match["number"].replace(",", "") if match else ""
    if match is None or len(digits) > _MOST_DIGITS:
        return None
    word, mark = (match["word"] or "").lower(), (match["mark"] or "").lower()
    is_negative = match["open"].strip() or match["open2"] or word == "down"
    return _Number(
        -Decimal(digits) if is_negative else Decimal(digits),
        len(digits.partition(".")[2]),
        "%" if mark in _PERCENT_MARKS else mark,
        bool(match["currency"] or match["currency2"]),
    )


def _is_caption(text: str) -> bool:
    """Check whether the words over a table give only its scale."""
    return bool(scale_in(text)) or text.startswith("(")
