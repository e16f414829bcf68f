"""Passages: at most 400 tokens of a filing, under a line that says whose report they are from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from tasks.core.rows import Document, Filing
from tasks.quantities.text_tables import Table, find_tables
from tasks.suites.refusalbench.base.answers import states
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.refusalbench.rows import BasePassage
from tasks.suites.shared.phrases import lower_words_of
from tasks.suites.shared.stated_cells import stated_cells
from tasks.text.retrieval import Index, is_heading
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms
from tasks.text.tokens import count_tokens

LIMIT = 400  # tokens of a passage
HEAD = re.compile(r"\[(?P<company>[^\]\n]+), annual report\b")  # of a passage
_ENOUGH = 240  # tokens of prose to which a short paragraph grows
_LEAD_IN = 120  # most tokens of the paragraph before a table
_ROW = re.compile(r" \| |\S {3,}\S+$|<S>|<C>", re.MULTILINE)

# How a filing calls a part of its company: `Financial Services segment`.
_PART = r"(?:['’]s)?\s+(?:segments?|operations|divisions?|business(?:es)?)\b"
_IS_CLAUSE = re.compile(r"\b(?:of|from|in|for|to|by|about)\b", re.IGNORECASE)
_LONGEST_PART = 4  # words
_NO_PART = "company reportable operating business industry geographic"

Span = tuple[int, int]


class FilingText:
    """One filing's text, to quote from."""

    def __init__(self, filing: Filing, document: Document, company: str) -> None:
        self.document, self.company = document, company
        self.tables = find_tables(document.text)
        end = filing.period_end
        year = f", fiscal year ended {end:%B} {end.day}, {end.year}" if end else ""
        self.head = f"[{company}, annual report{year}]\n" if company else ""
        self.year = end.year if end else None
        self._starts = [paragraph.start_char for paragraph in document.paragraphs]
        self._table_starts = [table.start_char for table in self.tables]
        self._around: dict[Span, BasePassage | None] = {}
        self._is_part: dict[str, bool] = {}
        spans = [(each.start_char, each.end_char) for each in document.paragraphs]
        self._headings = [
            span
            for span in spans
            if is_heading(document.text[slice(*span)]) and document.text[span[0]] != "("
        ]

    @cached_property
    def lower_words(self) -> frozenset[str]:
        """The words that the text writes in lower case somewhere."""
        return lower_words_of(self.document.text)

    @cached_property
    def index(self) -> Index:
        """The text's sentences and rows by term."""
        return Index(self.document.text)

    def is_named(self, query: str, start: int) -> bool:
        """Whether a query names the part of the company that a sentence or row is of.

        It is of a part if its heading, or its section of a table, is what the filing calls a
        segment, a division, operations or a business.
        """
        last = bisect_right(self._headings, (start, start)) - 1
        headings = [self.document.text[slice(*self._headings[last])]] if last >= 0 else []
        place = bisect_right(self._table_starts, start) - 1
        rows = self.tables[place].rows if place >= 0 else ()
        headings += [row.section for row in rows if row.start_char == start]
        asked = {*content_terms(query)}
        parts = [_part(heading) for heading in headings if self._is_a_part(heading)]
        return all({*content_terms(part)} <= asked for part in parts)

    def _is_a_part(self, heading: str) -> bool:
        """Whether a heading is what the filing calls a part of the company."""
        if heading not in self._is_part:
            part = _part(heading)
            named = {*content_terms(part)} - {*content_terms(f"{self.company} {_NO_PART}")}
            is_short = len(part.split()) <= _LONGEST_PART and not _IS_CLAUSE.search(part)
            # prose writes a name with capitals, and what it is without
            called = rf"(?<!\w)(?:{re.escape(part)}|{re.escape(part.title())}){_PART}"
            self._is_part[heading] = bool(
                named and is_short and re.search(called, self.document.text)
            )
        return self._is_part[heading]

    def of_statement(self, statement: Statement, is_signal: bool = True) -> BasePassage | None:
        """Return a passage that states it, or None if none of 400 tokens does by itself."""
        passage = self.around(statement.start_char, statement.end_char, is_signal)
        if passage is None or not states(passage.text, statement.answer):
            return None
        return passage if statement.column is None or self._repeats(passage, statement) else None

    def around(self, start: int, end: int, is_signal: bool = False) -> BasePassage | None:
        """Return the passage around a sentence or row; None if it is too long."""
        if (start, end) not in self._around:
            place = bisect_right(self._table_starts, start) - 1
            is_row = place >= 0 and start < self.tables[place].end_char
            self._around[start, end] = (
                self._rows(self.tables[place], start) if is_row else self._prose((start, end))
            )
        passage = self._around[start, end]
        return passage and replace(passage, is_signal=is_signal)

    def _passage(self, text: str, start_char: int) -> BasePassage | None:
        text = self.head + text
        if count_tokens(text) > LIMIT:
            return None
        return BasePassage(
            text=text,
            is_signal=False,
            document_id=self.document.document_id,
            start_char=start_char,
        )

    def _prose(self, span: Span) -> BasePassage | None:
        """Quote a sentence's paragraph, with short neighbours, or the sentences around it."""
        text, paragraphs = self.document.text, self.document.paragraphs
        place = bisect_right(self._starts, span[0]) - 1
        own = paragraphs[place]
        if own.n_tokens > LIMIT - count_tokens(self.head) - 8 or span[1] > own.end_char:
            sentences = [
                (own.start_char + each.start_char, own.start_char + each.end_char)
                for each in split_sentences(text[own.start_char : own.end_char])
            ]
            blocks = [(each, len(text[slice(*each)]) // 3) for each in sentences]
            places = [n for n, each in enumerate(sentences) if each[0] <= span[0]]
            place = places[-1] if places else 0
        else:
            blocks = [((each.start_char, each.end_char), each.n_tokens) for each in paragraphs]
        first, last = _grown(blocks, place, _ENOUGH, lambda each: _ROW.search(text, *each) is None)
        start, end = blocks[first][0][0], blocks[last][0][1]
        if not start <= span[0] < span[1] <= end:
            return None
        return self._passage(text[start:end].strip(), start)

    def _rows(self, table: Table, at: int) -> BasePassage | None:
        """Quote a row with its table's head, what leads in to it, and as many rows as fit."""
        text = self.document.text
        head = text[table.start_char : table.rows[0].start_char].rstrip("\n")
        lead = self._lead_in(table)
        start = table.rows[0].start_char
        lines: list[Span] = []  # with labels that stand alone
        for line in text[start : table.end_char].split("\n"):
            lines.append((start, start + len(line)))
            start += len(line) + 1
        place = bisect_right([line[0] for line in lines], at) - 1
        spent = count_tokens(f"{self.head}{lead}{head}") + 8
        blocks = [(line, count_tokens(text[slice(*line)]) + 1) for line in lines]
        if place < 0 or spent + blocks[place][1] > LIMIT:
            return None
        first, last = _grown(blocks, place, LIMIT - spent, lambda each: True)
        shown = text[lines[first][0] : lines[last][1]]
        parts = [part for part in (head, shown) if part.strip()]
        return self._passage(f"{lead}{chr(10).join(parts)}", table.start_char)

    def _lead_in(self, table: Table) -> str:
        """Return what stands before a table: its title and scale, or the sentence that leads in."""
        text, place = self.document.text, bisect_right(self._starts, table.start_char) - 1
        shown, spent = "", 0
        for each in reversed(self.document.paragraphs[max(0, place - 2) : place]):
            spent += each.n_tokens
            if spent > _LEAD_IN or _ROW.search(text, each.start_char, each.end_char):
                break
            shown = f"{text[each.start_char : each.end_char]}\n\n{shown}"
        return shown

    def _repeats(self, passage: BasePassage, statement: Statement) -> bool:
        """Whether a passage, read alone, states what the document's table states."""
        place = bisect_right(self._table_starts, statement.start_char) - 1
        rows = self.tables[place].rows
        (row,) = (each for each in rows if each.start_char == statement.start_char)
        return any(
            cell.value == statement.answer and cell.year in statement.period
            for shown in find_tables(passage.text)
            for other, cells in stated_cells(shown)
            if (other.label, other.section) == (row.label, row.section)
            for cell in cells
        )


def _part(heading: str) -> str:
    """Return a heading without the words that call it a part."""
    return re.sub(rf"{_PART}\W*\Z", "", heading, flags=re.IGNORECASE).strip(" :.-–—")


def _grown(
    blocks: Sequence[tuple[Span, int]], place: int, most: int, fits: Callable[[Span], bool]
) -> tuple[int, int]:
    """Return first and last of the neighbours that are shown, in turns before and after."""
    first = last = place
    spent = blocks[place][1]
    is_open = [True, True]
    while any(is_open):
        for side in (0, 1):
            new = (first - 1, last + 1)[side]
            if not is_open[side]:
                continue
            is_open[side] = (
                0 <= new < len(blocks) and spent + blocks[new][1] <= most and fits(blocks[new][0])
            )
            if not is_open[side]:
                continue
            spent += blocks[new][1]
            first, last = (new, last) if side == 0 else (first, new)
    return first, last
