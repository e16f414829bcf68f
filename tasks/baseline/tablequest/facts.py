"""Facts that a question may ask for: cells whose row, column, unit and scale are certain.

A question quotes the label of the row, with that of its section if the label stands several times,
and names the column by its period or quotes its head. What is uncertain is left out: labels that
are cut, heads that name several columns, amounts without a known scale.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from tasks.baseline.tablequest.amounts import Form, form_of
from tasks.baseline.tablequest.periods import Period, columns_of
from tasks.filings.reader.scale import statement_of
from tasks.quantities.scales import COUNTS, PER_UNIT, scale_in
from tasks.quantities.units import SIGNS
from tasks.suites.shared.tables.cells import YEAR, Cell
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.questions.asked import columns_with_signs, has_unclear_scale
from tasks.suites.tablequest.questions.named_cells import (
    CellNotFound,
    FoundCell,
    NamedCell,
    Tables,
)

_NOTE = re.compile(
    r"\s*(?:[({](?:(?:notes? )?\d{1,2}(?:(?:, | and )\d{1,2})*|[a-z])[)}]|[*†‡]+|\b[a-z]/)\s*\Z"
    r"|(?:[\s.]{2,}|[\s:]+)\Z",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\((?:in )?(?:thousands|millions|billions)\)", re.IGNORECASE)
_DANGLES = re.compile(
    r"(?:\b(?:and|or|of|for|in|on|to|the|from|by|with|before|after|per|at|less|net of|common|a|an)"
    r"|[-–—/,&(])\Z",
    re.IGNORECASE,
)
# Broken words, points that lead to figures, figures, notes that touch a word.
_GARBLED = re.compile(r"\w\s-\w|\s\.|\d,\d{3}|[a-z]\d\b|(?<!Level)\s\d\Z|[“”\"|]")
# Part of the row above, or what happened to it: no figure of its own.
_OF_ANOTHER = re.compile(
    r"\W*(?:less|plus|add|deduct|of which|includ\w+|exclud\w+|as an? percent\w*|percent\w* of|%"
    r"|increase|decrease|change)\b",
    re.IGNORECASE,
)
_MOST_CHARS = 80
_IS_TOTAL = re.compile(r"\A(?:total|gross|net)\b|, (?:gross|net)\Z", re.IGNORECASE)
_NO_MONEY = re.compile(
    rf"{COUNTS.pattern}|\b(?:ratios?|times|turnover|years?|rates?|yields?|percent\w*)\b|%",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(?<!\d)%|\b(?:percent\w*|rates?|margin|yield|return)\b", re.IGNORECASE)
_SIGN = re.compile(f"[{SIGNS}]")
_SHARES = re.compile(r"\bshares\b", re.IGNORECASE)
# A minus is a loss, and no deduction, if the label says so.
_SIGNED = re.compile(
    r"\bnet (?:income|earnings)\b|\((?:loss|expense|decrease|benefit|deficit|used)", re.IGNORECASE
)
_ENDED = re.compile(r"\byears? end(?:ed|ing)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2}")
_NO_FIGURE = re.compile(r"N/?[AM]")
_DASH = re.compile(r"[$\s(]*[-–—]+[\s)%]*|\s*")
_LEAST_IN_ONES = 10_000_000  # so large a number is in ones


@dataclass(frozen=True, slots=True)
class Fact:
    """One cell that can be asked for, with the words that name it."""

    named: NamedCell
    name: str  # as a question quotes the row: `“Foreign” under “Deferred”`
    column: Period
    cell: Cell
    form: Form

    @property
    def value(self) -> Decimal:
        """Return the value in ones of its unit."""
        return self.cell.value

    @property
    def amount(self) -> str:
        """Return the amount as an answer states it."""
        return self.form.write(self.value)

    @property
    def at(self) -> str:
        """Return the period, as in `from 2016 to 2017`."""
        return self.column.name

    @property
    def when(self) -> str:
        """Say in which column it stands."""
        return self.column.when

    @property
    def what(self) -> str:
        """Say what the amount is, in a question."""
        return "percentage" if self.form.after else "amount" if self.form.symbol else "figure"


class Table:
    """One table of a snippet, with the facts that it states for certain."""

    def __init__(self, tables: Tables, sheet: Sheet, year: int) -> None:
        self.sheet, self.grid = sheet, tables.grids[sheet.index]
        self._tables, self._year = tables, year
        self._labels = [clean_label(row[0]) if row else "" for row in sheet.cells]
        rows = sorted({r for r, _ in self.grid.cells})
        self._first, self._last = (rows[0], rows[-1] + 1) if rows else (0, 0)
        for r in rows:  # words or years name the columns anew
            if any(self._is_head(text) for text in sheet.cells[r][1:]):
                self._last = r
                break
        texts = " ".join([*(" ".join(row) for row in sheet.cells), sheet.pre_text])
        signs = {*_SIGN.findall(texts)}
        self._sign = signs.pop() if len(signs) == 1 else None
        self._signed = columns_with_signs(sheet)
        stated = statement_of(sheet.cells, [sheet.pre_text])
        self._has_scale = stated is not None and stated.any_scale is not None

    @cached_property
    def facts(self) -> dict[tuple[int, int], Fact]:
        """Find the facts by row and column."""
        return {
            (r, c): fact
            for r in range(self._first, self._last)
            if (name := self._name(r))
            for c, column in self._columns.items()
            if (fact := self._fact(r, c, name, column))
        }

    def row(self, r: int) -> list[Fact]:
        """Return a row's facts of periods, earliest first."""
        facts = [fact for (row, _), fact in self.facts.items() if row == r and fact.column.name]
        return sorted(facts, key=lambda fact: fact.column.year or 0)

    def is_total(self, r: int) -> bool:
        """Check whether a sum is called one, so that its parts have a share in it."""
        return bool(_IS_TOTAL.search(self._labels[r]))

    def _fact(self, r: int, c: int, name: str, column: Period) -> Fact | None:
        cell = self.grid.cells.get((r, c))
        label = self.sheet.cells[r][0]
        if cell is None or cell.value == 0 or YEAR.fullmatch(cell.text.strip()):
            return None
        if cell.value < 0 and not _SIGNED.search(label):
            return None
        named = NamedCell("A", self.sheet.index, label, self.grid.columns[c].text, cell.text)
        try:
            form = self._form(self._tables.find(named), cell, column)
        except CellNotFound:
            return None
        return Fact(named, name, column, cell, form) if form else None

    # --- names ---------------------------------------------------------------------------

    def _is_head(self, text: str) -> bool:
        text = text.strip()
        is_words = _WORDS.search(text) and not _NO_FIGURE.fullmatch(text)
        return bool(YEAR.fullmatch(text) or is_words)

    def _is_heading(self, r: int) -> bool:
        row = self.sheet.cells[r]
        return bool(row[0].strip()) and not any(cell.strip() for cell in row[1:])

    @cached_property
    def _columns(self) -> dict[int, Period]:
        """Name the columns, if the heads stand over all figures and over nothing else."""
        cells = self.sheet.cells
        filled = {c for _, c in self.grid.cells}
        lines = {c: line for c, line in enumerate(self.grid.columns) if c and line.text}
        below = {c for row in cells[self._first :] for c, text in enumerate(row) if text.strip()}
        if not filled <= set(lines) <= below:
            return {}
        heads = {c: line.text for c, line in lines.items() if not line.is_change}
        # `Years Ended` often stands over the labels, beside the dates
        stub = " ".join(row[0] for row in cells[: self._first] if row)
        named = columns_of(heads, ended=bool(_ENDED.search(stub)))
        last = self._year or 9999
        return {c: period for c, period in named.items() if (period.year or 0) <= last}

    def _name(self, r: int) -> str:
        """Quote a row's label; "" if it is cut, or names several rows of its section."""
        label, line = self._labels[r], self.grid.rows[r]
        if self._is_cut(r) or line.is_change or _OF_ANOTHER.match(label):
            return ""
        lower = [each.lower() for each in self._labels]
        if lower.count(label.lower()) == 1 and len(term_set(label)) > 0:
            return f"“{label}”"
        section = clean_label(line.above)
        same = [each for each in self.grid.rows if each.above and clean_label(each.text) == label]
        is_clear = [each.above for each in same].count(line.above) == 1
        if not (is_clear and is_whole(section) and lower.count(section.lower()) == 1):
            return ""
        return f"“{label}” under “{section}”"

    def _is_cut(self, r: int) -> bool:
        """Check whether a label lacks its start or end, as if it went over two rows."""
        below = self._labels[r + 1] if r + 1 < len(self._labels) else ""
        goes_on = below[:1].islower() and self._is_heading(r + 1)
        above = self._labels[r - 1] if r > 0 and self._is_heading(r - 1) else ""
        return goes_on or bool(_DANGLES.search(above)) or not is_whole(self._labels[r])

    # --- amounts -------------------------------------------------------------------------

    @cached_property
    def _usual_decimals(self) -> int:
        """The precision of most amounts of money."""
        counts = Counter(c.decimals for c in self.grid.cells.values() if c.unit == "money")
        return counts.most_common(1)[0][0] if counts else 0

    def _form(self, found: FoundCell, cell: Cell, named: Period) -> Form | None:
        """Find how an amount is written with its unit, or None if that is uncertain."""
        row, column = self.grid.rows[cell.row], self.grid.columns[cell.column]
        words = f"{row.text} {column.text}"
        if cell.unit == "percent":
            is_certain = "%" in cell.text or _PERCENT.search(words)
            return form_of(cell, "", "%") if is_certain and abs(cell.value) != 100 else None
        if cell.unit == "rate":
            return form_of(cell, self._sign, "") if self._sign and cell.decimals >= 2 else None
        is_marked = self._sign is not None and self._sign in cell.text
        if cell.unit == "money" and cell.decimals != self._usual_decimals:
            return None
        if cell.unit == "money" and not is_marked:
            is_money = not _NO_MONEY.search(words)
            # beside columns of money, one of words without a sign may count things
            is_money = is_money and bool(named.name or cell.column in self._signed)
            if not (is_money and self._has_currency(cell.row)):
                return None
        if cell.unit == "amount" and self._signed and _SHARES.search(f"{words} {row.above}"):
            return None  # the scale is often of the money alone
        if has_unclear_scale(found, self.sheet) or (cell.unit == "money" and not self._sign):
            return None
        form = form_of(cell, self._sign or "", "")
        if form and form.power and form.decimals == 2 and PER_UNIT.search(" ".join(self._labels)):
            return None  # it may be per share, as a heading says
        is_stated = self._has_scale or scale_in(row.text) or scale_in(column.text)
        is_known = is_stated or (form and form.power == 0 and self._is_in_ones)
        return form if is_known else None

    @cached_property
    def _is_in_ones(self) -> bool:
        """Whether the numbers are too large for another scale."""
        return any(abs(cell.value) >= _LEAST_IN_ONES for cell in self.grid.cells.values())

    def _has_currency(self, r: int) -> bool:
        """Check that the last row that names a unit, up to this one, names money, not shares."""
        for row in reversed(self.sheet.cells[: r + 1]):
            if any(map(_SIGN.search, row[1:])):
                return True
            if _SHARES.search(row[0]):
                return False
        return True

    # --- sums ----------------------------------------------------------------------------

    @cached_property
    def sums(self) -> dict[int, tuple[int, ...]]:
        """Find the rows that add up to another one in each column; that row -> its parts."""
        found: dict[int, tuple[int, ...]] = {}
        used: set[int] = set()
        for total in range(self._first + 2, self._last):
            values = self._values(total)
            if not values:
                continue
            parts: list[int] = []
            left = list(values)
            is_total = self._labels[total].lower().startswith("total")
            rounding = self._last_place(total) if is_total and len(values) > 1 else 0
            for r in range(total - 1, self._first - 1, -1):
                row = self._values(r)
                if row is None or r in used or len(row) != len(values):
                    break
                parts.insert(0, r)
                left = [have - add for have, add in zip(left, row, strict=True)]
                if len(parts) >= 2 and all(abs(rest) <= rounding for rest in left):
                    found[total] = tuple(parts)
                    used |= {*parts, total}
                    break
        return found

    def _last_place(self, r: int) -> Decimal:
        """Return one unit of the last stated digit, by which rounded parts may miss a total."""
        decimals = [cell.decimals for (row, _), cell in self.grid.cells.items() if row == r]
        return Decimal(1).scaleb(-max(decimals, default=0))

    def _values(self, r: int) -> list[Decimal] | None:
        """Return a row's amounts in all periods, dashes as zero; None if they are no amounts."""
        values = []
        for c in self._columns:
            cell = self.grid.cells.get((r, c))
            if cell is None and not _DASH.fullmatch(self.sheet.cells[r][c]):
                return None
            if cell is not None and cell.unit not in ("money", "amount"):
                return None
            values.append(cell.value if cell else Decimal(0))
        return values if any(values) else None


def clean_label(text: str) -> str:
    """Return a label without scale, marks of footnotes, and points that lead to its figures."""
    text = " ".join(_SCALE.sub(" ", text).split())
    while (shorter := _NOTE.sub("", text)) != text:
        text = shorter
    return text


def is_whole(label: str) -> bool:
    """Check whether a label has its start and its end, and nothing that is garbled."""
    return (
        3 <= len(label) <= _MOST_CHARS
        and bool(_WORDS.search(label))
        and label[0].isupper()
        and label.count("(") == label.count(")")
        and not _DANGLES.search(label)
        and not _GARBLED.search(label)
    )


@lru_cache(maxsize=16)  # all rounds of a snippet read the same tables
def tables_of(text: str, year: str) -> tuple[Table, ...]:
    """Read the tables of a snippet."""
    tables = Tables(text)
    latest = int(year) if year.isdigit() else 0
    return tuple(Table(tables, sheet, latest) for sheet in tables.sheets.values())
