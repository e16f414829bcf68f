"""Parse tables in a document's text: labelled rows of values under column heads.

Cells stand between bars (`Revenue | $ 1,234 | $ 1,100`), or in columns aligned by spaces, as in
text filings. What is uncertain, such as a head or a scale, is left empty. A table's scale comes
from the statement that governs it (`tasks.quantities.governing`).
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
# Cells of an aligned line: gaps or dot leaders are between them, and `$` and `%` stand alone.
_ALIGNED = re.compile(r"[ \t]{2,}|\.{3}|\. \. ")
_LEADERS = re.compile(r"\.{2,}|(?:\.[ ]){2,}\.?")
_OPENS = re.compile(rf"\(?{CURRENCY}\(?|\(")
_CLOSES = re.compile(rf"\)?{MEASURE}?\)?")
_LONGEST_LABEL = 160  # characters; a longer one may be prose
_RULE = frozenset("-=_—–|*. ")
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


@lru_cache(maxsize=8)
def find_tables(text: str) -> tuple[TextTable, ...]:
    """Return the tables of a text, in order, without rows that have no value."""
    parts: list[str | Figures] = []
    tables: list[TextTable] = []
    before = ""
    for start, end in paragraphs(text):
        paragraph = text[start:end]
        is_drawn = "\n" in paragraph and (" | " in paragraph or _ALIGNED.search(paragraph))
        rows, above = _Rows(paragraph, start).read() if is_drawn else ([], "")
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
    scales = (stated or StatedScale(None, "ones", False) for stated in governing(parts))
    return tuple(
        replace(table, scale=stated.scale, counts=stated.counts)
        for table, stated in zip(tables, scales, strict=True)
    )


class _Rows:
    """A reader of a table's lines; between bars, cell j of every row is in column j.

    Heads of aligned columns apply to rows with as many values.
    """

    def __init__(self, paragraph: str, start: int) -> None:
        self.lines = paragraph.split("\n")
        self.start = start
        self.is_barred = " | " in paragraph
        self.heads: dict[int, str] = {}
        self.over_all = ""
        self.section = ""
        self.pending = ""
        self.in_head = True

    def read(self) -> tuple[list[TableRow], str]:
        """Return the rows with values, and the lines above them."""
        rows: list[TableRow] = []
        above: list[str] = []
        for line in self.lines:
            label, cells = _cells(line, self.is_barred)
            filled = [(column, cell) for column, cell in enumerate(cells, start=1) if cell]
            values = [(column, cell) for column, cell in filled if is_value(cell)]
            years = [] if self.is_barred else _years_alone(line)
            is_head = bool(filled and self.is_barred) and all(
                not is_value(text) or YEAR.fullmatch(text) for _, text in filled
            )
            if years:
                self.heads, self.section, self.pending = dict(enumerate(years, start=1)), "", ""
            elif is_head:
                self._add_head(filled)
            elif values:
                rows.append(self._row(line, label, values))
            elif not filled:
                self._add_label(label)
            if is_head or not rows:
                above.append(line if self.is_barred else " ".join(line.split()))
            self.start += len(line) + 1
        return rows, "\n".join(filter(None, above))

    def _add_label(self, label: str) -> None:
        """Note a label without values: a section, or the start of a longer label."""
        if self.is_barred:
            self.section = self.pending = label or self.section
        elif not label or self.pending.endswith(":"):
            self.section, self.pending = self.pending or self.section, label
        else:
            self.pending = f"{self.pending} {label}".strip()

    def _add_head(self, filled: list[tuple[int, str]]) -> None:
        if not self.in_head:
            self.heads, self.over_all, self.in_head = {}, "", True
        if len(filled) == 1 and not YEAR.fullmatch(filled[0][1]):
            if not _COMPARES.search(filled[0][1]):  # else it heads only the last columns
                self.over_all = f"{self.over_all} {filled[0][1]}".strip()
            return
        for index, cell in filled:
            self.heads[index] = f"{self.heads.get(index, '')} {cell}".strip()

    def _row(self, line: str, label: str, values: list[tuple[int, str]]) -> TableRow:
        self.in_head = False
        is_total = label.lower().startswith("total")
        is_whole = True
        if self.is_barred:
            if label[:1].islower() and self.pending and not self.pending.endswith(":"):
                label, self.section = f"{self.pending} {label}", ""
        elif self.pending and (
            label[:1].islower() or label[:1] in "($" or _OPEN_END.search(self.pending)
        ):
            label = f"{self.pending} {label}"
            is_whole = len(label) < _LONGEST_LABEL
        elif self.pending:
            self.section, is_whole = self.pending, self.pending.endswith(":")
        self.pending = ""
        if self.is_barred or len(self.heads) == len(values):
            heads = tuple(f"{self.over_all} {self.heads.get(i, '')}".strip() for i, _ in values)
        else:
            heads = ("",) * len(values)
        cells = tuple(cell for _, cell in values)
        label, section = _clean_label(label), _clean_label(self.section)
        if is_total:
            self.section = ""
        end = self.start + len(line)
        return TableRow(self.start, end, label, section, heads, cells, is_whole)


def _cells(line: str, is_barred: bool) -> tuple[str, list[str]]:
    """Return the label and the cells of a line."""
    if is_barred:
        label, *cells = map(str.strip, line.split("|"))
        return label, cells
    if _RULE.issuperset(line):
        return "", []
    spaced = _LEADERS.sub(lambda dots: " " * len(dots[0]), line).replace("\t", " ")
    places = _values_at_end(spaced)
    label = spaced[: places[0][0]] if places else line
    return label.strip(), [" ".join(line[first:last].split()) for first, last in places]


def _years_alone(line: str) -> list[str]:
    """Return the years of a line that has two or more, and else only days as figures."""
    years = YEAR.findall(line)
    is_alone = not re.search(r"\d", re.sub(r"\b[1-3]?\d\b,?", "", YEAR.sub("", line)))
    return years if len(years) > 1 and is_alone else []


def _values_at_end(line: str) -> list[tuple[int, int]]:
    """Return where the values at the end of an aligned line are; `$` and `%` may stand alone.

    Two spaces or a currency's sign separate the first of them from the label.
    """
    pieces = list(re.finditer(r"\S+", line))
    are_behind = bool(pieces) and pieces[-1][0] not in "$(" and _OPENS.fullmatch(pieces[-1][0])
    places: list[tuple[int, int]] = []
    closing = None
    for piece in reversed(pieces):
        first, last = piece.span()
        is_opening = _OPENS.fullmatch(piece[0])
        if closing is None and (_CLOSES.fullmatch(piece[0]) or (are_behind and is_opening)):
            closing = last  # `5 €  6 €`
        elif is_value(piece[0]):
            places.insert(0, (first, closing or last))
            closing = None
        elif places and closing is None and is_opening:
            places[0] = (first, places[0][1])
        else:
            break
    while places and line[max(places[0][0] - 2, 0) : places[0][0]].strip():
        if line[places[0][0]] in SIGNS:
            break
        places.pop(0)
    return places


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
    scales = {of for text in (row.label, row.heads[column], row.section) if (of := stated_in(text))}
    if len(scales) > 1:
        return None  # the row and its column, or section, state two scales
    own = next(iter(scales), None) or StatedScale(table.scale, table.counts, True)
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


def _clean_label(label: str) -> str:
    """Strip enumerator, dot leaders, note marks, closing colon and double spaces of a label."""
    label = _LEADER.sub("", _ENUMERATOR.sub("", " ".join(label.split())))
    return _NOTE_MARK.sub("", label).rstrip(" :")
