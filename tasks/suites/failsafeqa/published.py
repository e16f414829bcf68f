"""FailSafeQA's released file: twelve columns, one JSON array (named `.jsonl`).

The paper's dataset section does not describe the layout. The columns are:

    idx, query, answer, citations, context, ocr_context, tokens, citations_tokens,
    error_query, incomplete_query, out-of-domain_query, out-of-scope_query

The irrelevant case is the out-of-scope query on the same context. The missing case needs no column.
A row's document is its context, since the file does not name its filing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tasks.core.ids import canonical_json, sha256_hex, stable_id
from tasks.core.rows import Case, Context, Paragraph, QAPair
from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import (
    REPEATED,
    Entry,
    Rows,
    Text,
    by_type,
    document_of,
    filing_of,
    listed,
    parsed,
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
    if isinstance(citations, list) and all(isinstance(text, str) for text in citations):
        return "\n".join(citations)
    return citations


class PublishedRow(Entry):
    """The columns of a row; `idx` and the two counts are for the publisher only."""

    query: Text
    answer: Text
    citations: Annotated[Text, BeforeValidator(_joined)]
    context: Text
    ocr_context: Text
    error_query: Text
    incomplete_query: Text
    out_of_domain_query: Text = Field(alias="out-of-domain_query")
    out_of_scope_query: Text = Field(alias="out-of-scope_query")
    idx: Any = None
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
) -> Rows:
    """Read the released file as rows.

    Rows with the same context share one. The irrelevant case has no target, since the file gives no
    answer to the out-of-scope query.

    Raises:
        DatasetError: the file cannot be read, or does not have this layout.
    """
    records = read_records(path, REQUIRED, _WHAT_TO_DO)[:limit]
    return by_type(_rows(path.name, records, encoding))


def _rows(source: str, records: Sequence[Any], encoding: str) -> Iterator[Any]:
    pair_ids: set[str] = set()
    for number, record in enumerate(records, start=1):
        entry = f"{source}#row={number}"
        row = parsed(PublishedRow, record)
        if isinstance(row, list):
            yield rejected(entry, row[0][0], f"row {number}: {listed(row)}")
            continue
        filing_id = f"sha-{sha256_hex(row.context)[:16]}"
        document = document_of(filing_id, row.context, _paragraphs(row.context))
        place = {"dataset": source, "row": number}
        context, ocr = (
            context_of(
                kind,
                text,
                document,
                encoding=encoding,
                details=canonical_json(place | {"published_tokens": n_tokens}),
            )
            for kind, text, n_tokens in (
                ("dataset", row.context, record.get("tokens")),
                ("ocr", row.ocr_context, None),
            )
        )
        pair = QAPair(
            qa_pair_id=stable_id("pair", context.context_id, row.query, row.answer),
            context_id=context.context_id,
            query=row.query,
            answer=row.answer,
            task=task_of(row.query),
            citation_text=row.citations,
        )
        if pair.qa_pair_id in pair_ids:
            detail = f"row {number}: same context, query and answer as pair {pair.qa_pair_id}"
            yield rejected(entry, REPEATED, detail)
            continue
        pair_ids.add(pair.qa_pair_id)
        yield from (filing_of(filing_id, row.context, entry), document, context, ocr, pair)
        yield from _cases(pair, row, ocr, canonical_json(place | {"idx": row.idx}))


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


def _cases(pair: QAPair, row: PublishedRow, ocr: Context, details: str) -> Iterator[Case]:
    baseline = case_of(pair, SUITE, details=details)
    yield baseline
    yield varied(baseline, "misspelled", query=row.error_query)
    yield varied(baseline, "incomplete", query=row.incomplete_query)
    yield varied(baseline, "out_of_domain", query=row.out_of_domain_query)
    yield varied(baseline, "ocr", context_id=ocr.context_id)
    yield varied(baseline, "missing_context", context_id=None, is_answerable=False)
    borrowed = row.out_of_scope_query
    yield varied(baseline, "irrelevant_context", query=borrowed, target="", is_answerable=False)


PUBLISHED = Published(load=load, writes=(QAPair, Context, Case), version=3)
