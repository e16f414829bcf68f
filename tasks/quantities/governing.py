"""Find the statement of scale that governs each table of a document.

A scale that is stated once governs until another is stated. The nearest statement counts: the
table's own, else its lead-in's, else its section's, else the document's. What does not stand
directly above a table governs it only if its figures can be in that scale. A statement that is
not understood, or names two scales, leaves the scale unknown: nothing farther away is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from tasks.quantities.scales import (
    LONGEST_NEAR,
    PER_UNIT,
    POWERS,
    UNREAD,
    StatedScale,
    may_state,
    spaced,
    stated_in,
    unit_in,
)

Rows = tuple[tuple[str, tuple[str, ...]], ...]  # label and figures of each row

_SENTENCE = re.compile(r"[^.;()]+(?:\.(?!\s|\Z)[^.;()]*)*")
# A statement about more than one table says so, and what of: `all figures` may be customers.
_OF_MONEY = ("amount", "dollar", "tables")
_OF_MANY_TABLES = (
    "unless otherwise", "unless noted", "except as otherwise", "except where otherwise",
    "except as noted", "all amounts", "all dollar", "tabular", "throughout", "in this report",
    "in this annual report", "in this filing", "in this document", "financial statements",
)  # fmt: skip
_OF_ONE_TABLE = ("this table", "following", "above", "below", "accompanying table", "this note")
_TITLE = re.compile(
    r"\W*(?:item\s*\d|management[’']?s\s+discussion|selected\s+(?:consolidated\s+)?financial"
    r"|financial\s+review|(?=(?:.{0,60}\b)?notes\s+to\s)(?!.*\b(?:see|refer|accompanying|integral)\b))",
    re.IGNORECASE,
)
_MOST_OF_HEADING = 14  # words
_LINES_OF_TITLE = 4
_LONGEST_FAR = 200  # characters of a statement that is not next to its table
_LONGEST_SENTENCE = 600
_NOTE = re.compile(r"\(\w{1,2}\)\s|\*")  # of the table before
_N_BEFORE = 3  # paragraphs before a table that may introduce it


def is_heading(text: str) -> bool:
    """Whether a paragraph is a heading or words in brackets, rather than a sentence."""
    if len(text) > _LONGEST_FAR:
        return False
    return text.startswith("(") or (
        len(text.split()) <= _MOST_OF_HEADING and not text.rstrip().endswith((".", ";", ":"))
    )


@dataclass(frozen=True, slots=True)
class ScaleSection:
    """An Item's start; "" ends one."""

    item: str


@dataclass(frozen=True)
class Figures:
    """A table as its scale needs it."""

    own: StatedScale | None  # what its heads state
    has_money: bool
    is_continued: bool  # whether it says so
    rows: Rows

    @cached_property
    def amounts_by_row(self) -> list[list[str]]:
        """The numbers of each row that may be amounts, without percentages and prices."""
        rows = [
            [_NUMBER.search(figure) for figure in figures if "%" not in figure]
            for label, figures in self.rows
            if figures and "%" not in label and not PER_UNIT.search(label)
        ]
        return [[number[0] for number in numbers if number] for numbers in rows]

    @cached_property
    def amounts(self) -> list[str]:
        """Those of all rows."""
        return [amount for row in self.amounts_by_row for amount in row]


def governing(parts: Sequence[str | ScaleSection | Figures]) -> list[StatedScale | None]:
    """Return the statement that governs each table, None if there is none.

    `parts` are a document's paragraphs, tables and section starts in order.
    """
    stating = [part for part in parts if isinstance(part, str) and may_state(part)]
    general = {text: scale for text in stating if (scale := _general(text))}
    whole = _WHOLE if _are_whole(parts, stating) else None
    reach = _Reach(whole, lambda: _full_amounts(parts))
    stated: list[StatedScale | None] = []
    for part in parts:
        if isinstance(part, Figures):
            stated.append(reach.table(part))
        elif isinstance(part, ScaleSection):
            reach.section(part.item)
        else:
            reach.paragraph(part, general.get(part))
    return stated


class _Reach:
    """The statements that hold at one place of a document."""

    def __init__(self, whole: StatedScale | None, full: Callable[[], frozenset[str]]) -> None:
        self._full = cache(full)  # amounts that the text states in whole dollars
        self._of_document = whole
        self._of_section: StatedScale | None = None
        self._of_group: StatedScale | None = None  # of headed tables under one lead-in
        self._of_heading: StatedScale | None = None  # of a statement's tables
        self._of_last: StatedScale | None = None  # lead-in of the table before
        self._of_table: StatedScale | None = None  # that or its own
        self._between: list[str] = []  # paragraphs since the table before
        self._item = ""
        self._titled = 0  # how many more paragraphs may belong to a section's title

    def section(self, item: str) -> None:
        self._item, self._of_section, self._between = item, None, []
        self._of_group = self._of_heading = self._of_last = self._of_table = None

    def paragraph(self, text: str, general: StatedScale | None) -> None:
        heading = is_heading(text)
        if len(text) <= _LONGEST_FAR and not text.endswith((".", ":")) and _TITLE.match(text):
            heading, self._titled = True, _LINES_OF_TITLE
        if not _NOTE.match(text):
            # A general statement introduces no table of its own.
            self._between.append("." if general and not text.endswith(":") else text)
            self._of_heading = None
            if not heading:
                self._of_group = None
        if self._titled and heading:
            self._titled -= 1
            stated = stated_in(text)
            if stated and stated.is_of_money:
                self._of_section, self._titled = stated, 0
                return
        else:
            self._titled = 0
        if general:
            self._of_document, self._of_section = general, None

    def table(self, table: Figures) -> StatedScale | None:
        lead, far = (self._of_table, None) if table.is_continued else self._lead_in()
        self._of_last, self._between, self._titled = lead or far, [], 0
        self._of_table = table.own or lead or far
        near = [stated for stated in (table.own, lead) if stated and stated is not UNREAD]
        of_section = self._of_section or self._of_document
        if self._item in _IN_ONES and of_section not in (self._of_section, _WHOLE):
            of_section = None
        counts = next((stated.counts for stated in near if not stated.is_of_money), None)
        for stated in near:
            if stated.is_of_money or not table.has_money:
                if stated is self._of_heading and of_section and stated.scale != of_section.scale:
                    self._of_section = UNREAD  # another company's statements may begin
                return replace(stated, counts=counts or stated.counts)
        if not (far and far.is_of_money):
            far = of_section if table.has_money else None
        unknown = StatedScale(None, counts, True) if counts else None
        if far is None:
            is_whole = table.has_money and not lead and _ends_in_zeros(table)
            return _WHOLE if is_whole else unknown
        if far is _WHOLE:
            return _WHOLE
        if UNREAD in (table.own, lead) or _ends_in_zeros(table):
            return unknown
        repeated = self._full().intersection(table.amounts)
        # Texts that leave out thousands, too, seldom state billions.
        is_full = sum(amount.count(",") > 1 for amount in repeated) >= _FEWEST_WHOLE
        if is_full or not _fits(table, far.scale):
            return unknown
        return StatedScale(far.scale, counts or far.counts, True)

    def _lead_in(self) -> tuple[StatedScale | None, StatedScale | None]:
        """Return what stands directly above a table, and else what stands farther above it."""
        if not self._between:
            return None, self._of_last
        if "(cont" in self._between[-1].lower():
            return self._of_table, None
        unread = None
        has_heads = True  # whether only headings are between it and the table
        for distance, text in enumerate(reversed(self._between[-_N_BEFORE:])):
            heading = is_heading(text)
            if not heading and distance and not (has_heads and text.rstrip().endswith(":")):
                break
            stated = (unit_in if heading and has_heads else stated_in)(text[-LONGEST_NEAR:])
            if stated is UNREAD:
                unread = stated
            elif stated:
                if heading:
                    self._of_heading = stated
                elif distance:
                    self._of_group = stated
                return (stated, None) if has_heads else (unread, stated)
            has_heads &= heading
        held = self._of_heading if len(self._between) <= _N_BEFORE else None
        return unread, self._of_group or held


def _general(text: str) -> StatedScale | None:
    """Return a statement about all following tables, such as `Amounts are in millions`."""
    if text.startswith("("):
        return None
    for sentence in _SENTENCE.findall(spaced(text)):
        words = sentence.lower()
        is_general = any(of in words for of in _OF_MONEY) and any(
            of in words for of in _OF_MANY_TABLES
        )
        if is_general and not any(of in words for of in _OF_ONE_TABLE):
            scale = stated_in(sentence) if len(sentence) <= _LONGEST_SENTENCE else None
            if scale and scale.is_of_money:
                return scale
    return None


# --- whether a table's figures can be in a scale -------------------------------------------

_WHOLE = StatedScale("ones", "ones", True)
# Items whose tables are about share prices and persons, in dollars whatever the accounts are in.
_IN_ONES = frozenset({"2", "5", "10", "11", "12", "13", "14"})
_OWN_UNIT = re.compile(
    r"\b(?:salary|bonus|audit fees|audit services|audit-related|exercise price|cumulative total"
    r"|per (?:employee|director|meeting|month|hour)|directors?['’]? fees"
    r"|(?:annual|monthly|hourly|weekly|average) (?:\w+ )?(?:rent|rental|wage|pay|retainer|fee)s?)\b"
    r"|\A(?:high|low)\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+")
_LARGEST = 5e12  # dollars; more than any company's balance sheet
_FEWEST_WHOLE = 3  # amounts that show a table, or a text, to be in whole dollars
_FULL_AMOUNT = re.compile(
    r"[$]\s?(\d{1,3}(?:,\d{3})+)(?![\d,.]*\d)(?!\s?(?:thousand|million|billion|mm\b|per\b))", re.I
)


def _ends_in_zeros(table: Figures) -> bool:
    """Whether all amounts end in 000, and some are of millions."""
    large = [amount for amount in table.amounts if "," in amount]
    return (
        len(large) >= _FEWEST_WHOLE
        and all(amount.endswith(",000") for amount in large)
        and any(amount.count(",") > 1 for amount in large)
        and any(re.search(r"[$].*,", figure) for _, figures in table.rows for figure in figures)
    )


def _fits(table: Figures, scale: str | None) -> bool:
    """Whether figures can be amounts in a scale that was stated far away."""
    amounts, rows = table.amounts, table.rows
    if not amounts or any(_OWN_UNIT.search(label) for label, _ in rows):
        return False
    with_cents = [{amount[-3:-2] == "." for amount in row} for row in table.amounts_by_row if row]
    # Earnings per share fill whole rows; prices share a row with other figures.
    if {True, False} in with_cents or with_cents.count({True}) * 2 >= len(with_cents):
        return False
    if scale is None:
        return True
    starts_at_100 = sum(amount == "100" for amount in amounts) * 3 > len(rows) > 1
    largest = max(float(amount.replace(",", "")) for amount in amounts)
    return largest * 10 ** POWERS[scale] <= _LARGEST and not starts_at_100


def _full_amounts(parts: Sequence[str | ScaleSection | Figures]) -> frozenset[str]:
    """Return the amounts that the text states in whole dollars: `1,234,567`."""
    texts = (part for part in parts if isinstance(part, str) and "$" in part)
    return frozenset(amount for text in texts for amount in _FULL_AMOUNT.findall(text))


def _are_whole(parts: Sequence[str | ScaleSection | Figures], stating: Sequence[str]) -> bool:
    """Whether nothing states a scale, and the text repeats tables' amounts as whole dollars.

    `stating` are the paragraphs that may state one.
    """
    tables = [part for part in parts if isinstance(part, Figures)]
    if any(table.own and table.own.scale != "ones" for table in tables):
        return False
    if any((stated := stated_in(text)) and stated.scale != "ones" for text in stating):
        return False
    in_tables = {amount for table in tables for amount in table.amounts if "," in amount}
    return len(_full_amounts(parts) & in_tables) >= _FEWEST_WHOLE
