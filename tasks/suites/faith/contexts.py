"""Contexts of FAITH: the data tables of a document's Item 7.

The words before a table introduce it. Sentences with a maskable figure are left out, since the
paragraph before a table often states its content in prose.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, FilingTable, Item, Reject
from tasks.filings.reader.scale import table_scale
from tasks.suites.faith.maskable import maskable_figures
from tasks.suites.shared.contexts import (
    by_document,
    context_of,
    rejected,
    text_elsewhere,
    without_repeats,
)
from tasks.suites.shared.tables.cells import scale_note
from tasks.suites.shared.tables.sheets import Sheet, write_sheets
from tasks.suites.suite import Step, StepInputs
from tasks.text.sentences import split_sentences

ITEM = "7"
NO_ITEM = "the document has no Item 7"
NO_TABLES = "Item 7 has no data tables"
NO_TABLES_AT_ALL = "the file has no data tables at all (flattened text?)"

# Paragraphs before a table that may introduce it: the nearest one, or else a heading.
_PARAGRAPHS_BEFORE = 4
_WORDS_OF_HEADING = 12


def show_tables(
    document: Document, tables: Sequence[FilingTable], *, encoding: str
) -> Context | Reject:
    """Return a document's Item 7 tables as a context, or a reject.

    Tables keep the document's order and are numbered from 0. `details` is JSON with their
    `table_ids` in that order.
    """
    spans = document.spans_of(ITEM)
    if not spans:
        found = ", ".join(dict.fromkeys(item.item for item in document.items)) or "none"
        return rejected(document, NO_ITEM, f"Items found: {found}")
    inside = _inside(spans, tables)
    if not inside:
        if elsewhere := text_elsewhere(document, spans):
            return rejected(document, *elsewhere)
        n_chars = (
            f"Item 7 has {sum(span.end_char - span.start_char for span in spans):,} characters"
        )
        if not tables:
            return rejected(document, NO_TABLES_AT_ALL, n_chars)
        return rejected(
            document, NO_TABLES, f"{n_chars}; the document has {len(tables):,} tables elsewhere"
        )
    shown = [table for table, _ in inside]
    text = write_sheets(
        Sheet(
            index=place,
            pre_text=_introduction(table, document, span, shown),
            cells=_packed(table.cells),
        )
        for place, (table, span) in enumerate(inside)
    )
    details: dict[str, Any] = {"item": ITEM, "table_ids": [table.table_id for table in shown]}
    return context_of(
        "tables",
        text,
        document,
        encoding=encoding,
        start_char=spans[0].start_char,
        details=canonical_json(details),
    )


def _inside(spans: Sequence[Item], tables: Sequence[FilingTable]) -> list[tuple[FilingTable, Item]]:
    """Return the tables that start in an Item's spans, in order of place, each with its span."""
    return [
        (table, span)
        for table in sorted(tables, key=lambda table: table.start_char)
        for span in spans
        if span.start_char <= table.start_char < span.end_char
    ]


def _introduction(
    table: FilingTable, document: Document, item: Item, tables: Sequence[FilingTable]
) -> str:
    """Return the words before a table without maskable figures, and its scale if they lack it."""
    nearest, *farther = [*_paragraphs_before(table, document, item, tables)] or [""]
    headings = (paragraph for paragraph in farther if _is_heading(paragraph))
    words = _without_figures(nearest) or next(filter(None, map(_without_figures, headings)), "")
    if table.scale is None or table_scale(table.cells, [words]) == table.scale:
        return words
    return f"{words} {scale_note(table.scale)}".lstrip()


def _paragraphs_before(
    table: FilingTable, document: Document, item: Item, tables: Sequence[FilingTable]
) -> Iterator[str]:
    """Yield the paragraphs of an Item's span before a table, nearest first, without tables."""
    starts = {other.start_char for other in tables}
    place = bisect_left(
        document.paragraphs, table.start_char, key=lambda paragraph: paragraph.start_char
    )
    n_left = _PARAGRAPHS_BEFORE
    while n_left and place and document.paragraphs[place - 1].start_char >= item.start_char:
        place -= 1
        paragraph = document.paragraphs[place]
        text = document.text[paragraph.start_char : paragraph.end_char]
        if paragraph.start_char not in starts and " | " not in text:
            n_left -= 1
            yield text


def _is_heading(paragraph: str) -> bool:
    return len(paragraph.split()) <= _WORDS_OF_HEADING and not paragraph.rstrip().endswith(
        (".", ";")
    )


def _without_figures(paragraph: str) -> str:
    sentences = (paragraph[start:end] for start, end in split_sentences(paragraph))
    return " ".join(sentence for sentence in sentences if not maskable_figures(sentence))


def _packed(cells: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Remove empty rows and columns."""
    width = max((len(row) for row in cells), default=0)
    used = [
        column for column in range(width) if any(column < len(row) and row[column] for row in cells)
    ]
    packed = (tuple(row[column] if column < len(row) else "" for column in used) for row in cells)
    return tuple(row for row in packed if any(row))


# --- the step ------------------------------------------------------------------------------


def build_contexts(inputs: StepInputs) -> Iterator[Context | Reject]:
    """Make a context of each document's Item 7 tables."""
    return without_repeats(
        show_tables(document, of_document.get(document.document_id, ()), encoding=inputs.encoding)
        for documents, tables in inputs.parts(Document, FilingTable)
        for of_document in [by_document(tables)]
        for document in documents
    )


STEP = Step(
    name="contexts",
    version=2,
    run=build_contexts,
    writes=(Context,),
    reads=("ingest",),
    options=("encoding",),
)
