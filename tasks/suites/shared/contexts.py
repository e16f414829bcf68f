"""Contexts made of filings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rejects import reject_of
from tasks.core.rows import Case, Context, Document, FilingTable, Item, Reject
from tasks.text.sentences import split_sentences
from tasks.text.tokens import count_tokens

# Contexts whose pairs share a part; bounds the memory used and the work lost in a crash.
CONTEXTS_OF_A_PART = 64
NO_EXHIBIT = (
    "the Item only refers to the annual report to shareholders (Exhibit 13), which is not read"
)
SAME_TEXT = "the same text as another filing's context"


@dataclass(frozen=True, slots=True)
class ContextInputs:
    """A prompt's inputs: a context's text, empty if missing, and a query."""

    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> ContextInputs:
        """Show a case's query and the text of its context."""
        return cls(context=context, query=case.query)


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


def without_repeats(rows: Iterable[Context | Reject]) -> Iterator[Context | Reject]:
    """Yield contexts; replace one whose text another document had before by a reject."""
    first_with: dict[str, str] = {}  # context_id -> document_id
    for row in rows:
        if isinstance(row, Context):
            own = row.document_ids[0]
            first = first_with.setdefault(row.context_id, own)
            if first != own:
                key = ("contexts", *row.document_ids)
                yield reject_of("contexts", own, SAME_TEXT, f"{first} has it too", key=key)
                continue
        yield row


def rejected(document: Document, reason: str, detail: str) -> Reject:
    """Reject a document of which no context can be made."""
    key = ("contexts", document.document_id, reason)
    return reject_of("contexts", document.document_id, reason, detail, key=key)


def text_elsewhere(document: Document, spans: Sequence[Item]) -> tuple[str, str] | None:
    """Return why an Item has no text of its own, as reason and detail; None if it has some.

    Many Items 5 to 8 only refer to the annual report to shareholders, which is Exhibit 13.
    """
    (first, *others) = (document.text[span.start_char : span.end_char] for span in spans)
    if others or not refers_to_annual_report(first):
        return None
    return NO_EXHIBIT, " ".join(first.split())[:300]


def by_document(tables: Iterable[FilingTable]) -> dict[str, list[FilingTable]]:
    """Group tables by document_id, in order."""
    grouped: dict[str, list[FilingTable]] = {}
    for table in tables:
        grouped.setdefault(table.document_id, []).append(table)
    return grouped


_REPORT = re.compile(
    r"(?<!this )(?<!this \d{4} )annual\s+report\b"
    r"(?!\s+(?:pursuant|on(?!\s+pages?)|under\s+(?:the\s+)?s?e[cx]\w+)\b)"
    r"|exhibits?\s*\(?13[a-z]?\b|\bEX-13\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"incorporat|by\s+reference|refer\b|reference\s+is\s+made|can\s+be\s+found|reported\s+on"
    r"|(?:set\s+forth|appear\w*|contained|included|presented|found|shown|see|filed|attached)\b"
    r"|\bpages?\s+\d",
    re.IGNORECASE,
)
_MOST_PROSE = 2_000  # characters beside a reference; an Item with text of its own has more
_LONGEST_REFERENCE = 30_000  # characters with lists of statements


def refers_to_annual_report(text: str) -> bool:
    """Whether an Item's text is a reference to the annual report to shareholders.

    It may have a few sentences of its own.
    """
    if len(text) > _LONGEST_REFERENCE or not _REPORT.search(text):
        return False
    sentences = [text[start:end] for start, end in split_sentences(text)]
    own = [each for each in sentences if not (_REPORT.search(each) and _REFERS.search(each))]
    prose = sum(len(sentence) for sentence in own if sentence.endswith("."))
    return len(own) < len(sentences) and prose <= _MOST_PROSE
