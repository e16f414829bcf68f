"""Contexts made of filings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Context, Document, FilingTable, Item, Reject
from tasks.filings.reader.annual_report import refers_to_annual_report
from tasks.text.tokens import count_tokens

# Contexts whose pairs share a part; bounds the memory used and the work lost in a crash.
CONTEXTS_OF_A_PART = 64


NO_EXHIBIT = (
    "the Item only refers to the annual report to shareholders (Exhibit 13), "
    "which is not in the file"
)
NO_SUCH_SECTION = (
    "the Item only refers to the annual report to shareholders (Exhibit 13), "
    "which has no section with such a heading"
)
SAME_TEXT = "the same text as another filing's context"


def context_of(
    kind: str, text: str, *documents: Document, encoding: str, start_char: int = 0, **columns: Any
) -> Context:
    """Make a context from one or more documents; its id is a hash of kind and text."""
    if "n_tokens" not in columns:
        columns["n_tokens"] = count_tokens(text, encoding)
    return Context(
        context_id=stable_id("context", kind, text),
        document_ids=tuple(document.document_id for document in documents),
        kind=kind,
        text=text,
        encoding=encoding,
        start_char=start_char,
        **columns,
    )


def parts_of(context: Context) -> list[tuple[int, int, int]]:
    """Return where each part of a context starts in it, and the part's span of the document."""
    parts = json.loads(context.details).get("parts")
    if parts is None:
        return [(0, context.start_char, context.start_char + len(context.text))]
    placed, place = [], 0
    for start, end in parts:
        placed.append((place, start, end))
        place += end - start + 2
    return placed


def to_document(context: Context, start: int, end: int) -> list[tuple[int, int]]:
    """Return a span of a context as spans of the document; two or more if it crosses parts."""
    return [
        (max(start - place, 0) + part_start, min(end - place + part_start, part_end))
        for place, part_start, part_end in parts_of(context)
        if start < place + part_end - part_start and end > place
    ]


def to_context(context: Context, start: int, end: int) -> int:
    """Return where a span of the document starts in the context, by the first part it touches."""
    placed = parts_of(context)
    touched = (part for part in placed if start < part[2] and end > part[1])
    place, part_start, _ = next(touched, placed[0])
    return start - part_start + place


def without_repeats(rows: Iterable[Context | Reject]) -> Iterator[Context | Reject]:
    """Yield contexts; replace one whose text another document had before by a reject."""
    first_with: dict[str, str] = {}  # context_id -> document_id
    for row in rows:
        if isinstance(row, Context):
            first = first_with.setdefault(row.context_id, row.document_ids[0])
            yield row if first == row.document_ids[0] else _same_text(row, first)
        else:
            yield row


def rejected(document: Document, reason: str, detail: str) -> Reject:
    """Reject a document of which no context can be made."""
    return Reject(
        reject_id=stable_id("reject", "contexts", document.document_id, reason),
        stage="contexts",
        parent_id=document.document_id,
        reason=reason,
        detail=detail,
    )


def found_items(document: Document) -> str:
    """List the Items of a document, each once."""
    return ", ".join(dict.fromkeys(item.item for item in document.items)) or "none"


def text_elsewhere(document: Document, spans: Sequence[Item]) -> tuple[str, str] | None:
    """Return why an Item has no text of its own, as reason and detail; None if it has some.

    Many Items 5 to 8 only refer to the annual report to shareholders, which is Exhibit 13.
    """
    (first, *others) = (document.text[span.start_char : span.end_char] for span in spans)
    if others or not refers_to_annual_report(first):
        return None
    reason = NO_SUCH_SECTION if document.exhibits else NO_EXHIBIT
    return reason, " ".join(first.split())[:300]


def by_document(tables: Iterable[FilingTable]) -> dict[str, list[FilingTable]]:
    """Group tables by document_id, in order."""
    found: dict[str, list[FilingTable]] = {}
    for table in tables:
        found.setdefault(table.document_id, []).append(table)
    return found


def _same_text(context: Context, first_document_id: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "contexts", *context.document_ids),
        stage="contexts",
        parent_id=context.document_ids[0],
        reason=SAME_TEXT,
        detail=f"{first_document_id} has it too",
    )
