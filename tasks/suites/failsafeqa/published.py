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
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tasks.core.ids import canonical_json, sha256_hex, stable_id
from tasks.core.rows import Case, Context, Document, Filing, Paragraph, QAPair, Reject
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import (
    REPEATED,
    Entry,
    ImportedCases,
    Text,
    document_of,
    faults_of,
    filing_of,
    listed,
    read_records,
    rejected,
)
from tasks.suites.suite import Published
from tasks.text.query_task import task_of
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

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


class PublishedRow(Entry):
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
    field.alias or name for name, field in PublishedRow.model_fields.items() if field.is_required()
)


def load(
    path: Path,
    _: FailSafeQAOptions | None = None,
    limit: int | None = None,
    encoding: str = DEFAULT_ENCODING,
) -> ImportedCases:
    """Read the released file as rows.

    Rows with the same context share one. The irrelevant case has no target, since the file gives no
    answer to the out-of-scope query.

    Args:
        limit: read only this many rows.
        encoding: counts the contexts' tokens.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    documents: dict[str, Document] = {}  # by filing_id
    filings: dict[str, Filing] = {}
    contexts: dict[str, Context] = {}
    pairs: dict[str, QAPair] = {}
    cases: list[Case] = []
    rejects: list[Reject] = []
    for number, record in enumerate(read_records(path, REQUIRED, _WHAT_TO_DO)[:limit], start=1):
        entry = f"{path.name}#row={number}"
        if faults := faults_of(PublishedRow, record):
            rejects.append(rejected(entry, faults[0][0], f"row {number}: {listed(faults)}"))
            continue
        text = record["context"]
        context_id = stable_id("context", "dataset", text)
        pair_id = stable_id("pair", context_id, record["query"], record["answer"])
        if pair_id in pairs:
            detail = f"row {number}: same context, query and answer as pair {pair_id}"
            rejects.append(rejected(entry, REPEATED, detail))
            continue
        filing_id = f"sha-{sha256_hex(text)[:16]}"
        if filing_id not in filings:
            filings[filing_id] = filing_of(filing_id, text, entry)
            documents[filing_id] = document_of(filing_id, text, _paragraphs(text))
        for kind, shown, n_tokens in (
            ("dataset", text, record.get("tokens")),
            ("ocr", record["ocr_context"], None),
        ):
            if (shown_id := stable_id("context", kind, shown)) not in contexts:
                details = {"dataset": path.name, "row": number, "published_tokens": n_tokens}
                recorded, document = canonical_json(details), documents[filing_id]
                contexts[shown_id] = context_of(
                    kind, shown, document, encoding=encoding, details=recorded
                )
        pairs[pair_id] = QAPair(
            qa_pair_id=pair_id,
            context_id=context_id,
            query=record["query"],
            answer=record["answer"],
            task=task_of(record["query"]),
            citation_text=_joined(record["citations"]),
        )
        details = {"dataset": path.name, "row": number, "idx": record.get("idx")}
        cases += _cases(pairs[pair_id], record, canonical_json(details))
    return ImportedCases(
        *([*filings.values()], [*documents.values()], [*contexts.values()], [*pairs.values()]),
        cases=cases,
        rejects=rejects,
    )


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


def _cases(pair: QAPair, record: Mapping[str, Any], details: str) -> Iterator[Case]:
    queries = {name: record[column] for name, column in QUERY_COLUMNS.items()}
    baseline = case_of(pair, SUITE, details=details)
    yield baseline
    for name in ("misspelled", "incomplete", "out_of_domain"):
        yield varied(baseline, name, query=queries[name])
    yield varied(baseline, "ocr", context_id=stable_id("context", "ocr", record["ocr_context"]))
    yield varied(baseline, "missing_context", context_id=None, is_answerable=False)
    borrowed = queries["irrelevant_context"]
    yield varied(baseline, "irrelevant_context", query=borrowed, target="", is_answerable=False)


PUBLISHED = Published(
    load=load,
    writes=(QAPair, Context, Case),
    version=3,
)
