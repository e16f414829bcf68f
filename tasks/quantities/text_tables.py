"""Parse tables in a document's text: labelled rows of values under column heads.

Two layouts are read: cells between bars (`Revenue | $ 1,234 | $ 1,100`), and columns aligned by
spaces, as in text filings. What is uncertain, such as a head or a scale, is left empty. A table's
scale comes from the statement that governs it (`tasks.quantities.governing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from tasks.quantities.governing import Figures, governing
from tasks.quantities.scales import (
    AMOUNTS,
    COUNTS,
    NAMES_ITS_UNIT,
    PER_UNIT,
    StatedScale,
    stated_in,
    unit_in,
)
from tasks.quantities.units import CURRENCY, MEASURE, MONEY, SIGNS, packaged_units, spelling


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row with values."""

    start_char: int
    end_char: int
    label: str
    section: str  # nearest row above with a label only (`Current assets:`), or ""
    heads: tuple[str, ...]  # one per value; "" if the table does not tell
    values: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]  # one per value: its characters in the text
    is_whole: bool  # the label is surely complete, not the last line of a longer one


@dataclass(frozen=True, slots=True)
class TextTable:
    """One table of a text."""

    start_char: int
    end_char: int
    caption: str  # last 300 characters of the paragraph before, and the lines above its columns
    scale: str | None  # ones, thousands, millions or billions; None if unknown
    counts: str | None  # the scale of counts; ones if nothing is stated, None if unknown
    is_money: bool
    rows: tuple[TableRow, ...]


_BLANK_LINE = re.compile(r"\n\s*\n")
_IS_VALUE = re.compile(
    rf"(?:{CURRENCY}|[-–~(\s])*(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:(?!\$){CURRENCY}|{MEASURE}|[)\s])*"
    r"(?:\(\w{1,2}\)|\*{1,3})?|[$]?\s*(?:[-–—]{1,3}|N/?[AM])\s?%?",
    re.IGNORECASE,
)
# The same in an aligned line, in pieces: what opens a value, what is one, what closes one.
_OPENS = re.compile(rf"\(?{CURRENCY}\(?|\(")
_CLOSES = re.compile(rf"\)?{MEASURE}?\)?")
_PIECE = re.compile(
    rf"[(]?(?:{CURRENCY})?[(]?[{SIGNS}]?-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)\)?(?:%|(?!\$)[{SIGNS}])?\)?(?:\(\w\))*"
    r"|[$]?(?:[-–—]{1,3}|N/?[AM])%?",
    re.IGNORECASE,
)
_DOTS = re.compile(r"\.{2,}|(?:\.[ ]){2,}\.?")
_ALIGNED = re.compile(r"[ \t]{2,}|\.{3}|\. \. ")
_RULE = frozenset("-=_—–|*.")
YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?![\d%]|[,.]\d)")
_MONEY = re.compile(rf"{MONEY}|\bdollars?\b", re.IGNORECASE)
_UNIT = re.compile(MEASURE)
_NOTE_MARK = re.compile(
    r"(?:\s*(?:\((?:\d{1,2}|[a-z])\)|\((?:see )?notes? [\w, ]{1,40}\)|\*{1,3}|[†‡]))+\Z",
    re.IGNORECASE,
)
_LEADER = re.compile(r"[\s.]*\.{2,}[\s.]*\Z|(?<=\w{4})\.\Z|\s+\Z")
# Also of a scan, whose commas may stand anywhere.
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_IS_RATE = re.compile(r"%|\b(?:percent|percentage|ratio|rate|margin|yield|return on)\b")
_EXCEPTION = re.compile(r"\([^)]*\bexcept\b[^)]*\)?")
# Counts that a table in thousands states in ones, or whose unit is in brackets.
_IS_NEVER_SCALED = re.compile(
    r"\(|\b(?:days|number of|employees|employment|stores|branches|locations|restaurants|wells)\b"
)
# Labels whose first words say that they count, whatever follows: `Days sales in receivables`.
_IS_NUMBER_OF = re.compile(r"(?:average |total |weighted )*(days|number of)\b")
_COMPARES = re.compile(r"%|percent|change|increase|decrease|variance", re.IGNORECASE)
_ENUMERATOR = re.compile(r"\A(?:\(?(?:\d{1,2}|[a-z])[.)]|[•·*-])\s+")
_OPEN_END = re.compile(
    r"(?:,|\b(?:of|and|or|the|in|for|to|at|from|by|net|less|a|an|on|with|per))\Z", re.IGNORECASE
)


@lru_cache(maxsize=8)
def find_tables(text: str) -> tuple[TextTable, ...]:
    """Return the tables of a text, in order, without rows that have no value."""
    return tuple(_tables(text))


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each paragraph of a text; empty lines separate them."""
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def is_value(cell: str) -> bool:
    """Whether a cell holds one number, or a dash for none."""
    return bool(cell) and len(cell) < 40 and bool(_IS_VALUE.fullmatch(cell.strip()))


def _tables(text: str) -> Iterator[TextTable]:
    parts: list[str | Figures] = []
    tables: list[TextTable] = []
    before = ""
    for start, end in paragraphs(text):
        paragraph = text[start:end]
        reader = _reader(paragraph)
        rows, above = reader.read(paragraph, start) if reader else ((), "")
        if len(rows) < 2:
            before = paragraph if len(paragraph) > 40 else f"{before[-200:]}\n{paragraph}"
            parts.append(paragraph)
            continue
        caption = f"{before[-300:]}\n{above}".strip()
        is_money = bool(_MONEY.search(paragraph) or _MONEY.search(f"{above}\n{before[-120:]}"))
        figures = tuple((row.label, row.values) for row in rows)
        own = unit_in(above)
        if own and not own.is_of_money and any(map(stated_in, rows[0].heads)):
            own = None  # of one column
        is_continued = "(continued)" in above.lower()
        parts.append(Figures(own, is_money, is_continued, figures))
        tables.append(TextTable(start, end, caption, None, None, is_money, tuple(rows)))
    for table, stated in zip(tables, governing(parts), strict=True):
        stated = stated or StatedScale(None, "ones", False)
        yield replace(table, scale=stated.scale, counts=stated.counts)


def _reader(paragraph: str) -> _Barred | _Aligned | None:
    if "\n" not in paragraph:
        return None
    if " | " in paragraph:
        return _Barred()
    return _Aligned() if _ALIGNED.search(paragraph) else None


class _Barred:
    """A reader of rows with bars between cells; cell j of every row is in column j."""

    def __init__(self) -> None:
        self.heads: dict[int, str] = {}
        self.over_all = ""
        self.section = ""
        # a label alone on the line above: a section, or the start of a longer label
        self.pending = ""
        self.in_head = True

    def read(self, paragraph: str, start: int) -> tuple[list[TableRow], str]:
        rows: list[TableRow] = []
        above: list[str] = []
        for line in paragraph.split("\n"):
            cells = [cell.strip() for cell in line.split("|")]
            filled = [(index, cell) for index, cell in enumerate(cells) if index and cell]
            values = [(index, cell) for index, cell in filled if is_value(cell)]
            is_head = bool(filled) and all(
                not is_value(cell) or YEAR.fullmatch(cell) for _, cell in filled
            )
            if is_head:
                if not self.in_head:
                    self.heads, self.over_all = {}, ""
                self.in_head = True
                self._add_head(cells[0], filled)
                above.append(line)
            elif not filled:
                self.section = self.pending = cells[0] or self.section
                if not rows:
                    above.append(line)
            elif values:
                self.in_head = False
                label = cells[0]
                if label[:1].islower() and self.pending and not self.pending.endswith(":"):
                    label, self.section = f"{self.pending} {label}", ""
                rows.append(self._row(line, start, label, values))
                self.pending = ""
                if cells[0].lower().startswith("total"):
                    self.section = ""
            start += len(line) + 1
        return rows, "\n".join(above)

    def _add_head(self, label: str, filled: list[tuple[int, str]]) -> None:
        if len(filled) == 1 and not YEAR.fullmatch(filled[0][1]):
            if not _COMPARES.search(filled[0][1]):  # else it heads only the last columns
                self.over_all = f"{self.over_all} {filled[0][1]}".strip()
            return
        for index, cell in filled:
            self.heads[index] = f"{self.heads.get(index, '')} {cell}".strip()

    def _row(self, line: str, start: int, label: str, values: list[tuple[int, str]]) -> TableRow:
        places = _cell_places(line, start)
        heads = tuple(f"{self.over_all} {self.heads.get(i, '')}".strip() for i, _ in values)
        spans = tuple(places[index] for index, _ in values)
        cells = tuple(cell for _, cell in values)
        label, section = _clean_label(label), _clean_label(self.section)
        return TableRow(start, start + len(line), label, section, heads, cells, spans, True)


def stated_value(table: TextTable, row: TableRow, column: int) -> str | None:
    """Return a value as a sentence would state it: `$1,234 million`, `12.5%`, `-$5 thousand`.

    Return None if the cell holds no number, or its unit or scale is uncertain.
    """
    cell = row.values[column]
    if cell.count("(") > 1:
        cell = _NOTE_MARK.sub("", cell)
    number = _NUMBER.search(cell)
    if number is None:
        return None
    digits = number.group().rstrip(",")
    sign = "-" if "(" in cell[: number.start()] or cell.lstrip(f"{SIGNS} ").startswith("-") else ""
    label, head = row.label.lower(), row.heads[column].lower()
    first = table.rows[0].values  # the sign may be in the first row only
    is_share = len(first) == len(row.values) and "%" in first[column]
    named = re.search(CURRENCY, cell)
    currency = named[0] + " " * (named[0][-1] not in SIGNS) if named else ""
    unit = _UNIT.search(cell, number.end())
    if unit and unit[0] != "%":
        group = packaged_units().groups[packaged_units().names[spelling(unit[0])]]
        if group.kind != "currency" or group.parts > 1:
            return f"{sign}{currency}{digits} {unit[0]}"
        currency = group.symbols[0]
    if "%" in cell or (is_share and not currency):
        return f"{sign}{digits}%"
    if "%" in head or "percent" in head or _IS_RATE.search(label):
        is_percent = "%" in "".join(row.values) or "percent" in label + head
        return f"{sign}{digits}%" if is_percent else None
    said = {of for text in (row.label, row.heads[column], row.section) if (of := stated_in(text))}
    if len(said) > 1:
        return None  # the row and its column, or section, state two scales
    own = next(iter(said), None) or StatedScale(table.scale, table.counts, True)
    if not currency and NAMES_ITS_UNIT.search(f"{label} {head}"):
        return None
    if PER_UNIT.search(f"{label} {_EXCEPTION.sub('', head)}"):
        return f"{sign}{currency or '$'}{digits}" if "." in digits else None
    counted = _IS_NUMBER_OF.match(label)
    if not currency and counted and counted[1] == "days":
        return f"{sign}{digits}"
    is_count = COUNTS.search(f"{label} {head}") and not AMOUNTS.search(label)
    if not currency and (is_count or counted):
        is_one_scale = own.scale is None or own.counts == own.scale
        if not (is_one_scale or COUNTS.search(head) or stated_in(label)):
            return None  # `Tax withheld on vesting units` may be an amount
        is_never_scaled = _IS_NEVER_SCALED.search(label) and not stated_in(row.label)
        counts = "ones" if is_never_scaled else own.counts
        return counts and f"{sign}{digits}{_word(counts)}"
    if not currency and not table.is_money:
        return None
    has_cents = bool(re.fullmatch(r"[\d,]+\.\d\d", digits))
    if has_cents and own.scale is None and "price" in f"{label} {head} {table.caption.lower()}":
        return f"{sign}{currency or '$'}{digits}"
    if own.scale is None or (own.scale != "ones" and re.fullmatch(r"\d{1,2}\.\d\d", digits)):
        return None  # unknown, or an amount per share or hour in a table in thousands
    return f"{sign}{currency or '$'}{digits}{_word(own.scale)}"


def _word(scale: str) -> str:
    return "" if scale == "ones" else f" {scale.removesuffix('s')}"


def _cell_places(line: str, position: int) -> list[tuple[int, int]]:
    places = []
    for cell in line.split("|"):
        left = len(cell) - len(cell.lstrip())
        places.append((position + left, position + max(left, len(cell.rstrip()))))
        position += len(cell) + 1
    return places


class _Aligned:
    """A reader of rows aligned by spaces; heads are the years above, if their number fits."""

    def __init__(self) -> None:
        self.years: tuple[str, ...] = ()
        self.section = ""
        self.pending = ""

    def read(self, paragraph: str, start: int) -> tuple[list[TableRow], str]:
        rows: list[TableRow] = []
        above: list[str] = []
        for line in paragraph.split("\n"):
            row = self._line(line, start)
            if row is not None:
                rows.append(row)
                if row.label.lower().startswith("total"):
                    self.section = ""
            elif not rows and line.strip():
                above.append(" ".join(line.split()))
            start += len(line) + 1
        return rows, "\n".join(above)

    def _line(self, line: str, start: int) -> TableRow | None:
        if _RULE.issuperset("".join(line.split())):
            self._close_label()
            return None
        label, places = _aligned_cells(line)
        years = tuple(YEAR.findall(line))
        outside_days = re.sub(r"\b[1-3]?\d\b,?", "", YEAR.sub("", line).strip())
        if len(years) >= 2 and not re.search(r"\d", outside_days):
            self.years = years
            self.section = self.pending = ""
            return None
        if not places:
            if self.pending.endswith(":"):
                self._close_label()
            self.pending = f"{self.pending} {line.strip()}".strip()
            return None
        return self._row(line, start, label, places)

    def _close_label(self) -> None:
        if self.pending:
            self.section, self.pending = self.pending, ""

    def _row(self, line: str, start: int, label: str, places: list[tuple[int, int]]) -> TableRow:
        is_whole = True
        if self.pending:
            if label[:1].islower() or label[:1] in "($" or _OPEN_END.search(self.pending):
                label = f"{self.pending} {label}"
                is_whole = len(label) < 160
            else:
                is_whole = self.pending.endswith(":")
                self.section = self.pending
            self.pending = ""
        values = tuple(" ".join(line[first:last].split()) for first, last in places)
        heads = self.years if len(self.years) == len(values) else ("",) * len(values)
        spans = tuple((start + first, start + last) for first, last in places)
        label, section = _clean_label(label), _clean_label(self.section)
        return TableRow(start, start + len(line), label, section, heads, values, spans, is_whole)


def _aligned_cells(line: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the label of an aligned line, and the spans of the values at its end.

    Two spaces, a dot leader or a currency sign separate the first value from the label.
    """
    if not _ALIGNED.search(line):
        return line.strip(), []
    spaced = _DOTS.sub(lambda dots: " " * len(dots.group()), line).replace("\t", " ")
    pieces = [match.span() for match in re.finditer(r"\S+", spaced)]
    places: list[tuple[int, int]] = []
    closing: int | None = None
    ending = spaced[slice(*pieces[-1])] if pieces else ""
    are_behind = ending not in ("$", "(") and _OPENS.fullmatch(ending)  # `5 €  6 €`
    while pieces:
        first, last = pieces.pop()
        piece = spaced[first:last]
        is_closing = _CLOSES.fullmatch(piece) or (are_behind and _OPENS.fullmatch(piece))
        if is_closing and closing is None:
            closing = last
        elif _PIECE.fullmatch(piece):
            places.append((first, closing or last))
            closing = None
        elif places and closing is None and _OPENS.fullmatch(piece):
            places[-1] = (first, places[-1][1])
        else:
            break
    places.reverse()
    while places and not _is_set_apart(spaced, places[0][0]):
        places.pop(0)
    return (spaced[: places[0][0]] if places else spaced).strip(), places


def _is_set_apart(line: str, start: int) -> bool:
    if start < 2 or line[start - 2 : start].isspace():
        return True
    return line[start] in SIGNS and not _OPEN_END.search(line[:start].rstrip())


def _clean_label(label: str) -> str:
    """Strip enumerator, dot leaders, note marks, closing colon and double spaces of a label."""
    label = _LEADER.sub("", _ENUMERATOR.sub("", " ".join(label.split())))
    return _NOTE_MARK.sub("", label).rstrip(" :")
