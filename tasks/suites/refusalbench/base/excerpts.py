"""Passages: a filing's text in pieces of at most 400 tokens, under a line that says whose it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.core.rows import Document, Filing, Paragraph
from tasks.quantities.text_tables import TextTable, find_tables
from tasks.suites.refusalbench.rows import BasePassage
from tasks.text.company_names import company_name
from tasks.text.sentences import split_sentences
from tasks.text.tokens import count_tokens

LIMIT = 400  # tokens of a passage
HEAD = re.compile(r"\[(?P<company>[^\]\n]+), annual report\b[^\]\n]*\]\n")  # of a passage
_MARGIN = 16  # tokens; those of parts do not add up exactly


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph, or a part of a long one."""

    start_char: int
    end_char: int
    n_tokens: int
    is_table: bool = False
    lead: str = ""  # the lines above its table's rows, if they are not in the piece


def passages_of(filing: Filing, document: Document) -> list[BasePassage]:
    """Cut a filing into passages, none of them a signal passage yet.

    The paragraph before a table starts a passage, and a table ends one. A sentence or row that is
    too long is in no passage.
    """
    company, end = company_name(filing.company or ""), filing.period_end
    year = f", fiscal year ended {end:%B} {end.day}, {end.year}" if end else ""
    head = f"[{company}, annual report{year}]\n" if company else ""
    room = LIMIT - _MARGIN - count_tokens(head)
    passages = []
    for pieces in _packed([*_pieces(document, room)], room):
        body = document.text[pieces[0].start_char : pieces[-1].end_char]
        text = f"{head}{pieces[0].lead}{body}"
        if count_tokens(text) <= LIMIT:
            passages.append(
                BasePassage(
                    text=text,
                    is_signal=False,
                    document_id=document.document_id,
                    start_char=pieces[0].start_char,
                )
            )
    return passages


def _pieces(document: Document, room: int) -> Iterator[_Piece]:
    tables = iter(find_tables(document.text))
    table = next(tables, None)
    for paragraph in document.paragraphs:
        start, end = paragraph.start_char, paragraph.end_char
        while table is not None and table.end_char <= start:
            table = next(tables, None)
        is_table = table is not None and table.start_char < end
        if paragraph.n_tokens <= room:
            yield _Piece(start, end, paragraph.n_tokens, is_table)
        elif table is not None and is_table:
            yield from _pieces_of_table(document.text, paragraph, table, room)
        else:
            for first, last in split_sentences(document.text[start:end]):
                n_tokens = count_tokens(document.text[start + first : start + last])
                yield _Piece(start + first, start + last, n_tokens)


def _pieces_of_table(
    text: str, paragraph: Paragraph, table: TextTable, room: int
) -> Iterator[_Piece]:
    """Cut a long table between rows; each piece but the first repeats the lines above its rows."""
    start, end = paragraph.start_char, paragraph.end_char
    first_row = max(start, table.rows[0].start_char)
    lead = text[start:first_row]
    n_tokens = n_lead = count_tokens(lead)
    piece_start, piece_end = start, first_row
    for row in text[first_row:end].splitlines(keepends=True):
        n_row = count_tokens(row)
        if n_tokens + n_row > room and piece_end > first_row:
            yield _Piece(
                piece_start, piece_end, n_tokens, True, lead if piece_start > start else ""
            )
            piece_start, n_tokens = piece_end, n_lead
        piece_end, n_tokens = piece_end + len(row), n_tokens + n_row
    yield _Piece(piece_start, piece_end, n_tokens, True, lead if piece_start > start else "")


def _packed(pieces: list[_Piece], room: int) -> Iterator[list[_Piece]]:
    """Join neighbours while there is room."""
    packed: list[_Piece] = []
    for piece, following in zip(pieces, [*pieces[1:], None], strict=True):
        leads_in = following is not None and following.is_table and not piece.is_table
        is_full = sum(other.n_tokens for other in packed) + piece.n_tokens > room
        if packed and (is_full or leads_in or packed[-1].is_table):
            yield packed
            packed = []
        packed.append(piece)
    if packed:
        yield packed
