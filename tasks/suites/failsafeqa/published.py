"""FailSafeQA's released file: twelve columns, one JSON array (named `.jsonl`).

The paper's dataset section does not describe the layout. The columns are:

    idx, query, answer, citations, context, ocr_context, tokens, citations_tokens,
    error_query, incomplete_query, out-of-domain_query, out-of-scope_query

The irrelevant case is the out-of-scope query on the same context. The missing case needs no column.
A row's document is its context, since the file does not name its filing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from tasks.core.ids import canonical_json, sha256_hex, stable_id
from tasks.core.rows import Case, Context, Document, Filing, Paragraph, QAPair, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.failsafeqa.pairs import with_verbs
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import Imported, document_of, filing_of, rejected
from tasks.suites.shared.published_files import (
    REPEATED,
    Entry,
    Text,
    faults_of,
    listed,
    read_records,
)
from tasks.suites.suite import Published
from tasks.text.query_task import task_of
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens
from tasks.text.verbs import PACKAGES

SUITE = "failsafeqa"
# Column of each variant's query.
QUERY_COLUMNS = {
    "misspelled": "error_query",
    "incomplete": "incomplete_query",
    "out_of_domain": "out-of-domain_query",
    "irrelevant_context": "out-of-scope_query",
}
COLUMNS = (
    *("idx", "query", "answer", "citations", "context", "ocr_context"),
    *("tokens", "citations_tokens", *QUERY_COLUMNS.values()),
)
_WHAT_TO_DO = (
    "expected FailSafeQA's released file, one JSON array of objects (or one object a line), "
    f"with the columns {', '.join(COLUMNS)}; `tenkbench export failsafeqa` writes an example"
)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n(?:[^\S\n]*\n)*")


def _joined(citations: Any) -> Any:
    """Join citations that are a list of texts."""
    if isinstance(citations, list) and all(isinstance(text, str) for text in citations):
        return "\n".join(citations)
    return citations


class Row(Entry):
    """The columns that a run reads. `idx` and the two counts are for the publisher only."""

    query: Text
    answer: Text
    citations: Annotated[Text, BeforeValidator(_joined)]
    context: Text
    ocr_context: Text
    error_query: Text
    incomplete_query: Text
    out_of_domain_query: Text = Field(alias="out-of-domain_query")
    out_of_scope_query: Text = Field(alias="out-of-scope_query")
    tokens: float | None = None
    citations_tokens: float | None = None


REQUIRED = tuple(
    field.alias or name for name, field in Row.model_fields.items() if field.is_required()
)


def load(path: Path, *, limit: int | None = None, encoding: str = DEFAULT_ENCODING) -> Imported:
    """Read the released file as rows.

    Rows with the same context share one. The irrelevant case has no target, since the file gives no
    answer to the out-of-scope query.

    Args:
        limit: read only this many rows.
        encoding: counts the contexts' tokens.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    records = read_rows(path)
    rows = _Rows(path.name, encoding)
    for number, record in enumerate(records[:limit], start=1):
        rows.add(number, record)
    return rows.imported()


def read_rows(path: Path) -> list[Any]:
    """Read the file's raw rows, checking only that the required columns exist.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    return read_records(path, REQUIRED, _WHAT_TO_DO)


# --- records -> rows ------------------------------------------------------------------


@dataclass
class _Rows:
    """The rows made so far; each context is made once."""

    source: str
    encoding: str
    filings: dict[str, Filing] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)  # by filing_id
    contexts: dict[str, Context] = field(default_factory=dict)
    pairs: dict[str, QAPair] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    def add(self, number: int, record: Any) -> None:
        """Add one record as a pair with seven cases, or a reject."""
        if faults := faults_of(Row, record):
            self._reject(number, faults[0][0], listed(faults))
            return
        context_id = stable_id("context", "dataset", record["context"])
        pair_id = stable_id("pair", context_id, record["query"], record["answer"])
        if pair_id in self.pairs:
            self._reject(number, REPEATED, f"same context, query and answer as pair {pair_id}")
            return
        pair = QAPair(
            qa_pair_id=pair_id,
            context_id=context_id,
            query=record["query"],
            answer=record["answer"],
            task=task_of(record["query"]),
            citation_text=_joined(record["citations"]),
        )
        self.pairs[pair_id] = pair
        document = self._document(number, record["context"])
        self._context("dataset", record["context"], document, number, record.get("tokens"))
        ocr_context_id = self._context("ocr", record["ocr_context"], document, number, None)
        details = {"dataset": self.source, "row": number, "idx": record.get("idx")}
        self.cases.extend(_cases(pair, record, ocr_context_id, canonical_json(details)))

    def imported(self) -> Imported:
        """Return all rows in the file's order."""
        return Imported(
            filings=list(self.filings.values()),
            documents=list(self.documents.values()),
            contexts=list(self.contexts.values()),
            qa_pairs=list(self.pairs.values()),
            cases=self.cases,
            rejects=self.rejects,
        )

    def _document(self, number: int, text: str) -> Document:
        filing_id = f"sha-{sha256_hex(text)[:16]}"
        if filing_id not in self.filings:
            source_uri = f"{self.source}#row={number}"
            self.filings[filing_id] = filing_of(filing_id, text, source_uri)
            self.documents[filing_id] = document_of(filing_id, text, _paragraphs(text))
        return self.documents[filing_id]

    def _context(
        self,
        kind: Literal["dataset", "ocr"],
        text: str,
        document: Document,
        number: int,
        published: Any,
    ) -> str:
        context_id = stable_id("context", kind, text)
        if context_id not in self.contexts:
            is_counted = text == document.text and self.encoding == document.encoding
            details = {"dataset": self.source, "row": number, "published_tokens": published}
            counted = {"n_tokens": document.n_tokens} if is_counted else {}
            self.contexts[context_id] = context_of(
                kind,
                text,
                document,
                encoding=self.encoding,
                details=canonical_json(details),
                **counted,
            )
        return context_id

    def _reject(self, number: int, reason: str, detail: str) -> None:
        entry = f"{self.source}#row={number}"
        self.rejects.append(rejected(entry, reason, f"row {number}: {detail}"))


def _paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Split an unchanged text into paragraphs, each with the blank lines after it."""
    breaks = [
        match
        for match in _BLANK_LINES.finditer(text)
        if match.start() > 0 and match.end() < len(text)
    ]
    starts = [0, *(match.end() for match in breaks)]
    ends = [*(match.start() for match in breaks), len(text)]
    return tuple(
        Paragraph(start_char=start, end_char=end, n_tokens=count_tokens(text[start:following]))
        for start, end, following in zip(starts, ends, [*starts[1:], len(text)], strict=True)
    )


def _cases(
    pair: QAPair, record: Mapping[str, Any], ocr_context_id: str, details: str
) -> Iterator[Case]:
    queries = {name: record[column] for name, column in QUERY_COLUMNS.items()}
    baseline = case_of(pair, SUITE, details=details)
    yield baseline
    for name in ("misspelled", "incomplete", "out_of_domain"):
        yield varied(baseline, name, query=queries[name])
    yield varied(baseline, "ocr", context_id=ocr_context_id)
    yield varied(baseline, "missing_context", context_id=None, is_answerable=False)
    borrowed = queries["irrelevant_context"]
    yield varied(baseline, "irrelevant_context", query=borrowed, target="", is_answerable=False)


# --- the suite's published file ----------------------------------------------------------


def _load(path: Path, options: FailSafeQAOptions, limit: int | None, encoding: str) -> Imported:
    rows = load(path, limit=limit, encoding=encoding)
    return replace(rows, qa_pairs=with_verbs(rows.qa_pairs))


PUBLISHED = Published(
    check=read_rows,
    load=_load,
    writes=(QAPair, Context, Case),
    version=3,
    packages=PACKAGES,
)
