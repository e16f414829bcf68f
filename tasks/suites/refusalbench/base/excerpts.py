"""Passages: a filing's text in pieces of at most 400 tokens, under a line that says whose it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.core.rows import Document, Filing
from tasks.quantities.text_tables import Table, find_tables
from tasks.suites.refusalbench.rows import BasePassage
from tasks.suites.shared.company_names import company_name
from tasks.text.sentences import split_sentences
from tasks.text.tokens import count_tokens

LIMIT = 400  # tokens of a passage
HEAD = re.compile(r"\[(?P<company>[^\]\n]+), annual report\b[^\]\n]*\]\n")  # of a passage
_LEAD_IN = 120  # most tokens of the paragraph before a table
_MARGIN = 16  # tokens; those of parts do not add up exactly


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, or a piece of a long one."""

    start_char: int
    end_char: int
    n_tokens: int
    table: Table | None
    lead: str = ""  # the head of its table, if it is not in the piece


def head_of(filing: Filing) -> str:
    """Write the first line of a filing's passages; "" if its company has no certain name."""
    company, end = company_name(filing.company or ""), filing.period_end
    year = f", fiscal year ended {end:%B} {end.day}, {end.year}" if end else ""
    return f"[{company}, annual report{year}]\n" if company else ""


def passages_of(filing: Filing, document: Document) -> list[BasePassage]:
    """Cut a filing into passages, none of them a signal passage yet.

    A table starts a passage, with the short paragraph before it, and ends one. A sentence or row
    that is too long is in no passage.
    """
    head = head_of(filing)
    room = LIMIT - _MARGIN - count_tokens(head)
    passages = []
    for blocks in _packed(_blocks(document, room), room):
        start, end = blocks[0].start_char, blocks[-1].end_char
        text = f"{head}{blocks[0].lead}{document.text[start:end]}"
        if count_tokens(text) <= LIMIT:
            passages.append(
                BasePassage(
                    text=text,
                    is_signal=False,
                    document_id=document.document_id,
                    start_char=start,
                )
            )
    return passages


def holds_a_table(passage: BasePassage) -> bool:
    """Return whether a passage has a table with rows of values."""
    return bool(find_tables(passage.text))


def _blocks(document: Document, room: int) -> Iterator[_Block]:
    text, tables = document.text, find_tables(document.text)
    place = 0
    for paragraph in document.paragraphs:
        while place < len(tables) and tables[place].end_char <= paragraph.start_char:
            place += 1
        is_table = place < len(tables) and tables[place].start_char < paragraph.end_char
        table = tables[place] if is_table else None
        if paragraph.n_tokens <= room:
            yield _Block(paragraph.start_char, paragraph.end_char, paragraph.n_tokens, table)
        elif table is None:
            first = paragraph.start_char
            for start, end in split_sentences(text[first : paragraph.end_char]):
                n_tokens = count_tokens(text[first + start : first + end])
                yield _Block(first + start, first + end, n_tokens, None)
        else:
            yield from _pieces_of_table(text, paragraph.start_char, paragraph.end_char, table, room)


def _pieces_of_table(text: str, start: int, end: int, table: Table, room: int) -> Iterator[_Block]:
    """Cut a long table between rows; each piece but the first repeats its head."""
    first_row = max(start, table.rows[0].start_char)
    lead = text[start:first_row]
    n_lead = count_tokens(lead)
    piece_start, piece_end, n_tokens = start, first_row, n_lead
    for line in text[first_row:end].splitlines(keepends=True):
        n_line = count_tokens(line)
        if n_tokens + n_line > room and piece_end > first_row:
            is_first = piece_start == start
            yield _Block(piece_start, piece_end, n_tokens, table, "" if is_first else lead)
            piece_start, n_tokens = piece_end, n_lead
        piece_end, n_tokens = piece_end + len(line), n_tokens + n_line
    yield _Block(piece_start, piece_end, n_tokens, table, "" if piece_start == start else lead)


def _packed(blocks: Iterator[_Block], room: int) -> Iterator[list[_Block]]:
    """Join neighbours while there is room."""
    packed: list[_Block] = []
    for block in blocks:
        is_full = sum(each.n_tokens for each in packed) + block.n_tokens > room
        is_after_table = packed and packed[-1].table is not None
        starts_table = block.table is not None and bool(packed)
        if block.lead or is_full or is_after_table or starts_table:
            lead_in: list[_Block] = []
            if starts_table and not block.lead and _leads_in(packed[-1], block, room):
                lead_in = [packed.pop()]
            if packed:
                yield packed
            packed = lead_in
        packed.append(block)
    if packed:
        yield packed


def _leads_in(before: _Block, table: _Block, room: int) -> bool:
    return (
        before.table is None
        and before.n_tokens <= _LEAD_IN
        and before.n_tokens + table.n_tokens <= room
    )
