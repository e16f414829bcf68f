"""Passages: at most 400 tokens of a filing, under a line that says whose report they are from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property

from tasks.core.rows import Document, Filing
from tasks.quantities.text_tables import Table, find_tables
from tasks.suites.refusalbench.base.answers import states
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.refusalbench.rows import BasePassage
from tasks.suites.shared.stated_cells import stated_cells
from tasks.text.retrieval import Index
from tasks.text.sentences import split_sentences
from tasks.text.tokens import count_tokens

LIMIT = 400  # tokens of a passage
_ENOUGH = 240  # tokens of prose to which a short paragraph grows
_LEAD_IN = 120  # most tokens of the paragraph before a table
_ROW = re.compile(r" \| |\S {3,}\S+$|<S>|<C>", re.MULTILINE)

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

    @cached_property
    def index(self) -> Index:
        """The text's sentences and rows by term."""
        return Index(self.document.text)

    def of_statement(self, statement: Statement, is_signal: bool = True) -> BasePassage | None:
        """Return a passage that states it, or None if none of 400 tokens does by itself."""
        passage = self.around(statement.start_char, statement.end_char, is_signal)
        if passage is None or not states(passage.text, statement.answer):
            return None
        return passage if statement.column is None or self._repeats(passage, statement) else None

    def around(self, start: int, end: int, is_signal: bool = False) -> BasePassage | None:
        """Return the passage around a sentence or row; None if it is too long."""
        place = bisect_right(self._table_starts, start) - 1
        if place >= 0 and start < self.tables[place].end_char:
            return self._rows(self.tables[place], start, is_signal)
        return self._prose((start, end), is_signal)

    def _passage(self, text: str, start_char: int, is_signal: bool) -> BasePassage | None:
        text = self.head + text
        if count_tokens(text) > LIMIT:
            return None
        return BasePassage(
            text=text,
            is_signal=is_signal,
            document_id=self.document.document_id,
            start_char=start_char,
        )

    def _prose(self, span: Span, is_signal: bool) -> BasePassage | None:
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
        return self._passage(text[start:end].strip(), start, is_signal)

    def _rows(self, table: Table, at: int, is_signal: bool) -> BasePassage | None:
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
        return self._passage(f"{lead}{chr(10).join(parts)}", table.start_char, is_signal)

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
            if (
                not 0 <= new < len(blocks)
                or spent + blocks[new][1] > most
                or not fits(blocks[new][0])
            ):
                is_open[side] = False
                continue
            spent += blocks[new][1]
            first, last = (new, last) if side == 0 else (first, new)
    return first, last
