"""Facts that a question may ask for: cells whose row, period, unit and scale are certain.

What is uncertain is left out: rows with cut, repeated or vague labels, columns that are more than a
period, amounts without a known scale.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from tasks.baseline.phrases import names_a_measure
from tasks.baseline.tablequest.amounts import Form, form_of
from tasks.baseline.tablequest.labels import (
    Spelling,
    clean_label,
    dangles,
    is_many,
    is_usable,
    is_whole,
    speaks,
    with_article,
)
from tasks.baseline.tablequest.periods import Period, columns_of
from tasks.filings.reader.scale import statement_of
from tasks.quantities.scales import scale_in
from tasks.suites.shared.tables.cells import YEAR, Cell, Grid, read_grid, scale_for_all
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.tablequest.snippets import blocks_of, is_table, sheets_of

# No amounts of money, whatever the table has.
_NO_MONEY = re.compile(
    r"\b(?:ratios?|numbers?|multiples?|times|days|years|life|lives|employees|headcount|stores|units"
    r"|percent\w*|percentage|rates?|yields?|margin (?:rate|ratio)|square feet|acres|shares?"
    r"|customers|subscribers|turnover|volumes?|barrels|tons|tonnage|carloads|locations)\b|%",
    re.IGNORECASE,
)
_RATE_WORDS = re.compile(r"\b(?:rates?|margin|yield|ratio|percent\w*|return)\b|%", re.IGNORECASE)
_SHARES = re.compile(r"\bshares\b(?! repurchase plan)", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper (?:\w+[ -]){0,3}(?:share|unit)\b", re.IGNORECASE)
_PER = re.compile(r"\bper\b|/", re.IGNORECASE)
# Words of tables that state no facts of the period that their column names.
_NOT_OF_PERIOD = re.compile(
    r"\bpro[ -]?forma\b|\bobligations\b|\bmaturit|\bpayments due\b|\bminimum (?:lease|rental)"
    r"|\bcommitments\b|\bthereafter\b|\bfuture\b|\bhypothetical|\bsensitivity|\bestimated\b"
    r"|\bprojected\b|\breconcil|\bassumptions?\b|\bas previously reported\b|\brestate",
    re.IGNORECASE,
)
_CASH_FLOWS = re.compile(r"\b(?:operating|investing|financing) activities\b", re.IGNORECASE)
_IS_FLOW = re.compile(r"\bnet cash\b|\bproceeds\b|\bpayments\b|\bdepreciation\b|\bnet income\b")
_CONSOLIDATED = re.compile(r"\bconsolidated\b|\bselected financial data\b", re.IGNORECASE)
_NOT_OF_COMPANY = re.compile(
    r"\bsegments?\b|\binvestees?\b|\baffiliates?\b|\bparent\b|\bdiscontinued\b|\bquarter"
    r"|\bunconsolidated\b|\bsubsidiar\w+ guarant|\bcondensed\b|\bsummari[sz]ed financial\b",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\bnet (?:income|earnings)|\((?:loss|expense|decrease|benefit|deficit)", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W\d_]{2}")
_NO_FIGURE = re.compile(r"N/?[AM]")
_DASH = re.compile(r"[$\s(]*[-–—]+[\s)%]*|\s*")
# In a table with such a row, a date heads what happened up to it.
_OPENING = re.compile(
    r"\A(?:beginning|opening)\b|\b(?:beginning|start) of (?:the )?(?:year|period)\b", re.IGNORECASE
)
_IS_SUM = re.compile(r"\A(?:total|gross|net)\b|, (?:gross|net)\Z", re.IGNORECASE)
_TOTAL = re.compile(r"total\b|net (?:income|loss|earnings|sales|revenues?|cash)\b", re.IGNORECASE)
_MOST_TITLE = 14  # words
_OF_SENTENCE = re.compile(r"\bfollow|\b(?:our|we|is|are|was|were|has|have)\b", re.IGNORECASE)
_INTRODUCTION = 150  # characters before a table that speak of it rather than of other things
_LEAST_IN_ONES = 10_000_000  # so large a number is in ones
# No company has more; the number has another scale than the table's.
_MOST_SHARES = 10**11
_MOST_MONEY = 10**14


@dataclass(frozen=True, slots=True)
class Fact:
    """One cell that can be asked for, with the words that name it."""

    table: int  # from 1, as the snippet shows them
    label: str  # of the row, as written
    head: str  # of the column, as the grid reads it
    name: str  # what a sentence calls the row: `total net sales`, `"Foreign" under "Deferred"`
    is_plain: bool  # whether the name is a noun phrase of its own, not quoted
    period: Period
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
    def verb(self) -> str:
        """Return `was` or `were`, after the name."""
        return "were" if self.is_plain and is_many(self.name) else "was"

    @property
    def named(self) -> str:
        """Return the name with the article that it needs: `the provision for income taxes`."""
        if not self.is_plain:
            what = "number" if self.form.after == " shares" else "amount"
            return f"the {what} for {self.name}"
        return with_article(self.name)


@dataclass(frozen=True, slots=True)
class Sum:
    """A total and the rows that make it up, in every period that the table has."""

    total: int
    parts: tuple[int, ...]


class Table:
    """One table of a snippet, with the facts that it states for certain."""

    def __init__(
        self, sheet: Sheet, grid: Grid, before: Sequence[str], spelling: Spelling, year: int
    ) -> None:
        self.sheet, self.grid, self._spelling, self._year = sheet, grid, spelling, year
        self._paragraphs = before[-2:]
        self._before = " ".join(self._paragraphs)
        stated = statement_of(sheet.cells, [sheet.pre_text])
        self._has_scale = stated is not None and stated.any_scale is not None
        self._money = bool(stated and stated.is_of_money and stated.scale)

    @cached_property
    def facts(self) -> dict[tuple[int, int], Fact]:
        """Find the facts by row and column."""
        found = {}
        for r, (name, is_plain) in self._names.items():
            for c, period in self._periods.items():
                form_words = f"{self.grid.rows[r].text} {name} {period.words}"
                cell = self.grid.cells.get((r, c))
                if cell is None or not self._is_signed_well(cell, name):
                    continue
                form = self._form(cell, form_words)
                if form is None:
                    continue
                label, head = self.sheet.cells[r][0], self.grid.columns[c].text
                found[r, c] = Fact(
                    self.sheet.index, label, head, name, is_plain, period, cell, form
                )
        return found

    def is_total(self, each: Sum) -> bool:
        """Check whether a sum is called one, so that its parts have a share in it."""
        return bool(_IS_SUM.search(self._labels[each.total]))

    def row(self, r: int) -> list[Fact]:
        """Return a row's facts, earliest first."""
        facts = [fact for (row, _), fact in self.facts.items() if row == r]
        return sorted(facts, key=lambda fact: fact.period.year or 0)

    @cached_property
    def rows(self) -> list[int]:
        """Return the rows that have facts."""
        return sorted({r for r, _ in self.facts})

    @cached_property
    def is_of_company(self) -> bool:
        """Whether the table states figures of the whole company, as its words say."""
        titles = [text for text in self._paragraphs if _is_title(text)]
        titles += [cell for row in self.sheet.cells[: self._first] for cell in row]
        said = " ".join(titles)
        parts = [
            self.sheet.cells[r][0]
            for r in range(self._first, len(self.sheet.cells))
            if self._is_heading(r)
        ]
        return (
            bool(_CONSOLIDATED.search(said))
            and not _NOT_OF_COMPANY.search(f"{self._before} {said}")
            and all(names_a_measure(part) for part in parts)
        )

    @cached_property
    def _first(self) -> int:
        """The first row with a number."""
        return min((r for r, _ in self.grid.cells), default=len(self.sheet.cells))

    @cached_property
    def _last(self) -> int:
        """The row after the last one whose columns the heads name: words or years end them."""
        for r in range(self._first, len(self.sheet.cells)):
            for text in self.sheet.cells[r][1:]:
                is_year = YEAR.fullmatch(text.strip())
                if is_year or (_WORDS.search(text) and not _NO_FIGURE.fullmatch(text.strip())):
                    return r
        return len(self.sheet.cells)

    @cached_property
    def _periods(self) -> dict[int, Period]:
        """Find the columns that can be named, each year once."""
        heads = self.sheet.cells[: self._first]
        said = " ".join(cell for row in heads for cell in dict.fromkeys(row))
        introduced = " ".join(text[-_INTRODUCTION:] for text in self._paragraphs)
        if _NOT_OF_PERIOD.search(f"{introduced} {said}"):
            return {}
        found = columns_of(heads)
        if not self._heads_fit(heads) or self._has_dated_blocks(found):
            return {}
        if any(_OPENING.search(label) for label in self._labels):
            found = {c: period for c, period in found.items() if not period.is_date}
        years = Counter(period.year for period in found.values() if period.name)
        return {
            c: period
            for c, period in found.items()
            if not (period.name and years[period.year] > 1)
            and (period.year or 0) <= (self._year or 9999)
        }

    def _has_dated_blocks(self, found: Mapping[int, Period]) -> bool:
        """Check whether rows name years, as headings or labels, so that columns name none."""
        are_words = any(period.words for period in found.values())
        if are_words and any(YEAR.fullmatch(label) for label in self._labels):
            return True
        return any(
            self._is_heading(r) and YEAR.search(self.sheet.cells[r][0])
            for r in range(0 if are_words else self._first, len(self.sheet.cells))
        )

    def _heads_fit(self, heads: Sequence[Sequence[str]]) -> bool:
        """Check that headings stand over every column of figures and over no other column."""
        filled = {c for _, c in self.grid.cells}
        headed = {c for row in heads for c, text in enumerate(row) if c and text.strip()}
        dashed = {
            c
            for row in self.sheet.cells[self._first :]
            for c, text in enumerate(row)
            if text.strip()
        }
        return filled <= headed <= dashed

    def _is_heading(self, r: int) -> bool:
        row = self.sheet.cells[r]
        return bool(row[0].strip()) and not any(cell.strip() for cell in row[1:])

    # --- names ---------------------------------------------------------------------------

    @cached_property
    def _labels(self) -> list[str]:
        return [clean_label(row[0]) if row else "" for row in self.sheet.cells]

    @cached_property
    def _names(self) -> dict[int, tuple[str, bool]]:
        """Name the rows that one can be certain of; whether each name is a noun phrase."""
        sums = {part: each for each in self.sums for part in each.parts}
        found = {
            r: named
            for r in range(self._first, self._last)
            if not self._is_cut(r)
            and not self._spelling.breaks_words(self._labels[r])
            and is_usable(self._labels[r])
            and (named := self._name(r, sums.get(r)))
        }
        counts = Counter(name for name, _ in found.values())
        return {r: named for r, named in found.items() if counts[named[0]] == 1}

    def _name(self, r: int, part_of: Sum | None) -> tuple[str, bool] | None:
        label = self._labels[r]
        repeats = [each.lower() for each in self._labels].count(label.lower())
        if label.lower() in ("basic", "diluted"):
            return self._name_per_share(r) if repeats == 1 else None
        phrase = self._spelling.phrase(label) if repeats == 1 and speaks(label) else ""
        if self._is_cash_flows:
            return (phrase, True) if _IS_FLOW.search(phrase) else None
        if part_of and not (self.is_of_company and phrase):
            if whole := self._whole(part_of):
                return f"“{label}” {whole}", False
            is_clear = self._has_words or (speaks(label) and not self.grid.rows[r].above)
            return (f"“{label}”", False) if repeats == 1 and is_clear else None
        is_in_section = self.grid.rows[r].above and not _TOTAL.match(label)
        if repeats > 1 or (is_in_section and not self.is_of_company):
            return None
        if phrase:
            return phrase, True
        return (f"“{label}”", False) if self._has_words or speaks(label) else None

    def _name_per_share(self, r: int) -> tuple[str, bool] | None:
        """Name the row `Basic` or `Diluted` after the heading of both."""
        above = (self._labels[k] for k in (r - 1, r - 2) if k >= 0 and self._is_heading(k))
        phrase = self._spelling.phrase(next(above, ""))
        is_clear = _PER_SHARE.search(phrase)
        return (f"{self._labels[r].lower()} {phrase}", True) if is_clear else None

    def _whole(self, each: Sum) -> str:
        """Say what a sum is of: its section, or else its total; "" if neither says it."""
        top = each.parts[0] - 1
        section = self._labels[top] if top >= 0 and self._is_heading(top) else ""
        if section:
            # the same heading may stand over several blocks
            is_once = self._labels.count(section) == 1
            is_whole_heading = not (top and section.isupper() and self._is_heading(top - 1))
            is_clear = is_once and is_whole_heading and is_usable(section) and is_whole(section)
            return f"under “{section}”" if is_clear else ""
        total = self._labels[each.total]
        is_added = all(
            cell.value > 0 for (r, _), cell in self.grid.cells.items() if r in each.parts
        )
        is_clear = self.is_total(each) and names_a_measure(total) and is_usable(total)
        is_clear = is_clear and not self._is_cut(each.total)
        return f"within “{total}”" if is_added and is_clear else ""

    @cached_property
    def _is_cash_flows(self) -> bool:
        return sum(bool(_CASH_FLOWS.search(label)) for label in self._labels) >= 2

    @cached_property
    def _has_words(self) -> bool:
        """Whether columns have words besides periods, so that rows need not name a measure."""
        return any(period.words for period in self._periods.values())

    def _is_cut(self, r: int) -> bool:
        """Check whether a label lacks its start or end, as if it went over two rows."""
        below = self._labels[r + 1] if r + 1 < len(self._labels) else ""
        goes_on = below[:1].islower() and self._is_heading(r + 1)
        comes_from = r > 0 and self._is_heading(r - 1) and dangles(self._labels[r - 1])
        return goes_on or comes_from or not is_whole(self._labels[r])

    # --- amounts -------------------------------------------------------------------------

    @cached_property
    def _symbol(self) -> str | None:
        """The table's only currency; None if it has several, or none that it states."""
        text = " ".join([*(" ".join(row) for row in self.sheet.cells), self.sheet.pre_text])
        symbols = {sign for sign in "$€£¥" if sign in text}
        if not symbols and self._money and re.search(r"\bdollars\b", text, re.IGNORECASE):
            return "$"
        return symbols.pop() if len(symbols) == 1 else None

    @cached_property
    def _usual_decimals(self) -> int | None:
        """The precision of most amounts of money."""
        counts = Counter(
            cell.decimals for cell in self.grid.cells.values() if cell.unit in ("money", "amount")
        )
        return counts.most_common(1)[0][0] if counts else None

    @cached_property
    def _is_in_ones(self) -> bool:
        """Whether the numbers, as written, are too large for another scale."""
        cells = read_grid(self.sheet).cells.values()  # without the scale of other tables
        return any(abs(cell.value) >= _LEAST_IN_ONES for cell in cells)

    def _if_scaled(self, cell: Cell, form: Form | None, most: int) -> Form | None:
        """Return a form if its scale is known: stated, or plain from the size of numbers."""
        row, column = self.grid.rows[cell.row], self.grid.columns[cell.column]
        is_stated = self._has_scale or scale_in(row.text) or scale_in(column.text)
        is_known = is_stated or (form and form.power == 0 and self._is_in_ones)
        return form if is_known and abs(cell.value) < most else None

    def _form(self, cell: Cell, named: str) -> Form | None:
        """Find how an amount is written with its unit, or None if that is uncertain."""
        if cell.value == 0 or YEAR.fullmatch(cell.text.strip()):
            return None
        if cell.unit == "percent":
            if not (_RATE_WORDS.search(named) or "%" in cell.text):
                return None
            return form_of(cell, "", "%") if abs(cell.value) != 100 else None
        if cell.unit == "rate":
            is_rate = _PER_SHARE.search(named) and abs(cell.value) < 1000 and cell.decimals >= 2
            return form_of(cell, self._symbol, "") if is_rate and self._symbol else None
        if _SHARES.search(named) and not _PER.search(named):
            is_count = cell.unit == "amount" and "$" not in cell.text
            return (
                self._if_scaled(cell, form_of(cell, "", " shares"), _MOST_SHARES)
                if is_count
                else None
            )
        is_money = not (_NO_MONEY.search(named) or _PER_SHARE.search(named))
        is_money = is_money and self._has_currency(cell.row) and not self._is_per_share(cell.row)
        if not is_money or not self._symbol or cell.decimals != self._usual_decimals:
            return None
        return self._if_scaled(cell, form_of(cell, self._symbol, ""), _MOST_MONEY)

    def _has_currency(self, r: int) -> bool:
        """Check that the last row that names a unit, up to this one, names money, not shares."""
        for row in reversed(self.sheet.cells[: r + 1]):
            if any(sign in cell for cell in row[1:] for sign in "$€£¥"):
                return True
            if _SHARES.search(row[0]):
                return False
        return True

    def _is_per_share(self, r: int) -> bool:
        """Check whether the headings over a row's block speak of amounts per share."""
        top = next((k for k in range(r, -1, -1) if self._is_heading(k)), -1)
        headings = []
        while top >= 0 and self._is_heading(top):
            headings.append(self._labels[top])
            top -= 1
        return any(_PER_SHARE.search(heading) for heading in headings)

    @staticmethod
    def _is_signed_well(cell: Cell, name: str) -> bool:
        """Check that a minus means a loss, not a deduction."""
        return cell.value > 0 or bool(_SIGNED.search(name))

    # --- sums ----------------------------------------------------------------------------

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """Find totals and their parts: rows that add up, exactly, in each period."""
        found: list[Sum] = []
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
                    found.append(Sum(total, tuple(parts)))
                    used |= {*parts, total}
                    break
        return tuple(found)

    def _last_place(self, r: int) -> Decimal:
        """Return one unit of the last stated digit, by which rounded parts may miss a total."""
        decimals = [cell.decimals for (row, _), cell in self.grid.cells.items() if row == r]
        return Decimal(1).scaleb(-max(decimals, default=0))

    def _values(self, r: int) -> list[Decimal] | None:
        """Return a row's amounts in all periods, dashes as zero; None if they are no amounts."""
        values = []
        for c in self._periods:
            cell = self.grid.cells.get((r, c))
            if cell is None and not _DASH.fullmatch(self.sheet.cells[r][c]):
                return None
            if cell is not None and cell.unit not in ("money", "amount"):
                return None
            values.append(cell.value if cell else Decimal(0))
        return values if any(values) else None


def _is_title(text: str) -> bool:
    """Check whether a paragraph is a heading, not a sentence."""
    words = text.split()
    ends = text.rstrip().endswith((".", ";", ",", ":"))
    return len(words) <= _MOST_TITLE and not ends and not _OF_SENTENCE.search(text)


@lru_cache(maxsize=16)  # all rounds of a snippet read the same tables
def tables_of(text: str, year: str) -> tuple[Table, ...]:
    """Read the tables of a snippet."""
    return tuple(_tables(text, int(year) if year.isdigit() else 0))


def _tables(text: str, year: int) -> Iterator[Table]:
    sheets = sheets_of(text)
    usual = scale_for_all(sheets)
    blocks = blocks_of(text)
    spelling = Spelling.of(
        (block for block in blocks if not is_table(block)),
        (cell for sheet in sheets for row in sheet.cells for cell in row),
    )
    before: list[str] = []
    remaining = iter(sheets)
    for block in blocks:
        if is_table(block):
            sheet = next(remaining)
            yield Table(sheet, read_grid(sheet, usual), before, spelling, year)
            before = []
        else:
            before.append(block)
