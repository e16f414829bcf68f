"""Tables as grids of numbers: each cell's value, unit and names.

Only what the sheet shows is used. A number of uncertain scale takes the table's. A number that
cannot be read is no cell, so nothing is derived from it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
    years: tuple[int, ...]  # as the words before it name them

    def years_of(self, cell: Cell) -> tuple[int, ...]:
        """Find the years that the cell's column, or else its row, names."""
        return self.columns[cell.column].years or self.rows[cell.row].years

    def is_change(self, cell: Cell) -> bool:
        """Check whether the cell itself states a change."""
        return self.columns[cell.column].is_change or self.rows[cell.row].is_change


def years_in(text: str) -> tuple[int, ...]:
    """Find the years that a text names, in order, each once: `2024`, or `’24` in column heads."""
    found = [(match.start(), int(match[0])) for match in YEAR.finditer(text)]
    found += [
        (match.start(), 2000 + int(match[1]) - (100 if int(match[1]) > 70 else 0))
        for match in _SHORT_YEAR.finditer(text)
    ]
    return tuple(dict.fromkeys(year for _, year in sorted(found)))


def scale_for_all(sheets: Sequence[Sheet]) -> str:
    """Find the scale that most of a context's tables state, if any."""
    stated = Counter(
        scale for sheet in sheets if (scale := table_scale(sheet.cells, [sheet.pre_text]))
    )
    return stated.most_common(1)[0][0] if stated else ""


def read_grid(sheet: Sheet, usual_scale: str = "") -> Grid:
    """Read a table's numbers with their names; `usual_scale` is of the tables beside it."""
    return _Reader(sheet, usual_scale).grid()


class _Reader:
    def __init__(self, sheet: Sheet, usual_scale: str) -> None:
        self.sheet = sheet
        self.width = max((len(row) for row in sheet.cells), default=0)
        self.numbers = {
            (r, c): number
            for r, row in enumerate(sheet.cells)
            for c in range(1, len(row))
            if (number := _number(row, c)) is not None
        }
        self.percents: dict[int, list[int]] = {}  # column -> rows whose cell has a percent sign
        for (r, c), number in self.numbers.items():
            if number.mark in ("%", "pts"):
                self.percents.setdefault(c, []).append(r)
        # the heads end at the first row with a number besides years
        self.first_row = next(
            (r for r in range(len(sheet.cells)) if any(self._is_value(r, c) for c in self._of(r))),
            len(sheet.cells),
        )
        self.has_money = any(re.search(MONEY, cell) for row in sheet.cells for cell in row)
        stated = statement_of(sheet.cells, [sheet.pre_text])
        self.scale = (stated.any_scale or "") if stated else ""
        self.counts = (stated.counts or self.scale) if stated else ""
        if stated is None and self.has_money and not self._is_in_ones():
            self.scale = self.counts = usual_scale

    def _of(self, r: int) -> range:
        """Return the columns of a row besides its label."""
        return range(1, len(self.sheet.cells[r]))

    def _is_value(self, r: int, c: int) -> bool:
        """Check whether a cell is a number besides years."""
        return (r, c) in self.numbers and not YEAR.fullmatch(self.sheet.cells[r][c].strip())

    def _is_in_ones(self) -> bool:
        """Check whether the numbers are too long or too exact to be thousands."""
        largest = max((abs(number.value) for number in self.numbers.values()), default=Decimal(0))
        return largest >= 10**8 or any(
            number.decimals == 2 and number.has_currency and number.value >= 1000
            for number in self.numbers.values()
        )

    def grid(self) -> Grid:
        rows = self._rows()
        columns = self._columns()
        cells = {}
        values = {r for r in range(self.first_row, len(rows)) if not self._is_head(r)}
        for (r, c), number in self.numbers.items():
            if r in values:
                cells[r, c] = self._cell(r, c, number, rows[r], columns[c])
        sheet = self.sheet
        years = years_in(sheet.pre_text)
        return Grid(sheet.index, sheet.pre_text, tuple(rows), tuple(columns), cells, years)

    def _is_head(self, r: int) -> bool:
        """Check whether a row's cells are only years or words."""
        filled = [c for c in self._of(r) if self.sheet.cells[r][c].strip()]
        return bool(filled) and not any(self._is_value(r, c) for c in filled)

    def _rows(self) -> list[TableLine]:
        lines: list[TableLine] = []
        section = ""
        for r, row in enumerate(self.sheet.cells):
            label = row[0].strip() if row else ""
            has_values = any((r, c) in self.numbers for c in range(1, len(row)))
            if label and not has_values and not self._is_dashed(row):
                section = label if r >= self.first_row or not _is_caption(label) else section
            above = section if has_values else ""
            if _OF_ROW_ABOVE.match(label) and lines:
                above = next(
                    (line.text for line in reversed(lines) if not _OF_ROW_ABOVE.match(line.text)),
                    above,
                )
            lines.append(TableLine(label, above, years_in(label), bool(_IS_CHANGE.search(label))))
            closes = label.lower().startswith("total") or label == section.rstrip(": ")
            if closes and has_values and not years_in(label):
                section = ""
        return lines

    @staticmethod
    def _is_dashed(row: Sequence[str]) -> bool:
        return any(
            re.fullmatch(r"[$]?\s*[-–—]+\s?%?|N/?[AM]|\*+", cell.strip()) for cell in row[1:]
        )

    def _columns(self) -> list[TableLine]:
        heads = [""] * self.width
        for r in range(self.first_row):
            row = self.sheet.cells[r]
            filled = {cell for cell in row[1:] if cell.strip()}
            for c, cell in enumerate(row):
                text = cell.strip()
                if (
                    text
                    and text not in heads[c]
                    and c != 0
                    and not (len(filled) == 1 and all(row[1:]) and _is_caption(text))
                ):
                    heads[c] = f"{heads[c]} {text}".strip()
        lines = [
            TableLine(head, "", years_in(head), bool(_IS_CHANGE.search(head))) for head in heads
        ]
        return [self._with_years(lines, c) for c in range(self.width)]

    @staticmethod
    def _with_years(lines: Sequence[TableLine], c: int) -> TableLine:
        """Give a column of changes without years those of the columns around it."""
        line = lines[c]
        if not line.is_change or line.years:
            return line
        valued = [k for k in range(len(lines)) if lines[k].years and not lines[k].is_change]
        left = [lines[k].years[0] for k in valued if k < c]
        right = [lines[k].years[0] for k in valued if k > c]
        if left and right:
            years: tuple[int, ...] = (left[-1], right[0])
        elif len(left) >= 2:
            years = (max(left[:2]), min(left[:2]))
        else:
            years = ()
        return TableLine(line.text, line.above, years, True)

    def _cell(self, r: int, c: int, number: _Number, row: TableLine, column: TableLine) -> Cell:
        unit = self._unit(r, c, number, row, column)
        value, decimals = number.value, number.decimals
        if number.mark == "bps" or number.mark == "¢":
            value, decimals = value / 100, decimals + 2
        is_scaled = unit == "money" or (
            unit == "amount" and not NAMES_ITS_UNIT.search(f"{row.text} {column.text}")
        )
        is_count = _COUNTED.search(column.text) or _NAMES_COUNT.match(row.text)
        usual = self.counts if unit == "amount" and is_count else self.scale
        power = POWERS.get(self._scale_of(row, column, usual), 0) if is_scaled else 0
        return Cell(
            self.sheet.index,
            r,
            c,
            self.sheet.cells[r][c],
            value.scaleb(power),
            decimals - power,
            unit,
        )

    def _unit(self, r: int, c: int, number: _Number, row: TableLine, column: TableLine) -> Unit:
        if number.mark and number.mark != "¢":
            return "percent"
        words = f"{row.text} {row.above} {column.text}"
        is_rate = (
            _IS_RATE.search(row.text)
            or _IS_RATE.search(column.text)
            or (_IS_RATE.search(row.above) and number.decimals > 0)
        )
        if number.has_currency or number.mark:
            return "rate" if (is_rate or self._is_small(number, row, column)) else "money"
        may_be_percent = abs(number.value) < _LEAST_NO_PERCENT
        if may_be_percent and _IS_PERCENT.search(column.text):
            return "percent"
        if "$" in column.text:
            return "rate" if _IS_RATE.search(column.text) else "money"
        says_percent = _IS_PERCENT.search(row.text) or self._column_is_percent(c, r)
        if may_be_percent and says_percent and not is_rate:
            return "percent"
        if is_rate:
            return "rate"
        if may_be_percent and self._is_named_percent(r, row):
            return "percent"
        return "money" if self.has_money and not _COUNTED.search(words) else "amount"

    def _is_named_percent(self, r: int, row: TableLine) -> bool:
        """Check whether the words over a table without amounts, or a rate's row, say percent."""
        if not self.has_money and (
            _IS_PERCENT.search(self.sheet.pre_text) or _IS_PERCENT.search(row.above)
        ):
            return True
        return bool(_IS_NAMED_RATE.search(row.text)) and any(
            "%" in cell for cell in self.sheet.cells[r]
        )

    def _is_small(self, number: _Number, row: TableLine, column: TableLine) -> bool:
        """Check for an amount per thing: `$0.27` in a table of thousands."""
        return (
            POWERS.get(self._scale_of(row, column, self.scale), 0) > 0
            and number.decimals == 2
            and abs(number.value) < 1000
            and not self._has_cents
        )

    @cached_property
    def _has_cents(self) -> bool:
        """Check whether the table states most of its amounts with two decimals."""
        large = [number for number in self.numbers.values() if number.mark == ""]
        return sum(number.decimals == 2 for number in large) * 2 > len(large)

    def _column_is_percent(self, c: int, r: int) -> bool:
        """Check whether a percent sign higher in the column applies.

        The sign often stands in a column's first row only. A currency sign between them ends it.
        """
        marked = self.percents.get(c, [])
        place = bisect_left(marked, r)
        if place == 0:
            return False
        money = self._money_rows.get(c, [])
        is_ended = bisect_right(money, marked[place - 1]) < bisect_right(money, r)
        return not is_ended and marked[0] == self._first_numbers[c]

    @cached_property
    def _money_rows(self) -> dict[int, list[int]]:
        """The rows of each column whose cell has a currency sign, from the top."""
        rows: dict[int, list[int]] = {}
        for (r, c), number in self.numbers.items():
            if number.has_currency:
                rows.setdefault(c, []).append(r)
        return rows

    @cached_property
    def _first_numbers(self) -> dict[int, int]:
        """The first row below the heads with a number, of each column."""
        first: dict[int, int] = {}
        for r, c in self.numbers:
            if r >= self.first_row:
                first.setdefault(c, r)
        return first

    def _scale_of(self, row: TableLine, column: TableLine, usual: str) -> str:
        """Find a cell's scale: its row's, column's, caption clause's, or else the usual one."""
        own = scale_in(column.text) or scale_in(row.text) or scale_in(row.above)
        if own:
            return own
        has_exception, clauses = self._clauses
        if not has_exception and len({scale.lower() for _, scale in clauses}) < 2:
            return usual
        words = set(_WORD.findall(f"{row.text} {row.above} {column.text}".lower()))
        best, scale = max(
            ((len(words & set(_WORD.findall(said.lower()))), scale) for said, scale in clauses),
            default=(0, ""),
        )
        if has_exception and best == 1 and not _COUNTED.search(" ".join(words)):
            return usual
        return f"{scale.lower()}s" if best else usual

    @cached_property
    def _clauses(self) -> tuple[bool, list[tuple[str, str]]]:
        """Return what states a scale: the caption's exception if it has one, else all of it."""
        excepted = _EXCEPT.search(self._caption)
        return bool(excepted), _SCALE_CLAUSE.findall(excepted[1] if excepted else self._caption)

    @cached_property
    def _caption(self) -> str:
        heads = " ".join(
            cell for row in self.sheet.cells[: self.first_row] for cell in dict.fromkeys(row)
        )
        return f"{self.sheet.pre_text[-400:]} {heads}"


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    decimals: int
    mark: str  # %, pts, bps, ¢ or ""
    has_currency: bool


def _number(row: Sequence[str], c: int) -> _Number | None:
    """Read a cell's number; the cell before may have its currency, the one after its bracket."""
    text = row[c].strip()
    if not any(character.isdigit() for character in text):
        return None
    if c + 1 < len(row) and (after := row[c + 1].strip()) and _CLOSER.fullmatch(after):
        text += after
    if c > 1 and _CURRENCY.fullmatch(before := row[c - 1].strip()):
        text = before + text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match["number"].replace(",", "")
    if len(digits) > _MOST_DIGITS:
        return None
    is_negative = bool(
        match["open"].strip() or match["open2"] or (match["word"] or "").lower() == "down"
    )
    mark = (match["mark"] or "").lower().rstrip(".")
    mark = "%" if mark == "percent" else "pts" if mark in ("pt", "points") else mark
    value = Decimal(digits)
    return _Number(
        -value if is_negative else value,
        len(digits.partition(".")[2]),
        mark,
        bool(match["currency"] or match["currency2"]),
    )


def _is_caption(text: str) -> bool:
    """Check whether the words over a table give only its scale."""
    return bool(scale_in(text)) or text.startswith("(")
