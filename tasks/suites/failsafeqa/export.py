"""Writing of the suite's rows in the layout of the authors' file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.core.files import replaced
from tasks.core.rejects import reject_of
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.failsafeqa.published import QUERY_COLUMNS, SUITE, PublishedRow
from tasks.suites.shared.published import Exported, listed, parsed
from tasks.suites.suite import RowsOf
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens


def export(path: Path, rows: RowsOf) -> Exported:
    """Write the suite's rows as the released file, one pair per row.

    Rows keep the pairs' order. A pair that lacks a column, because a variant was rejected, is left
    out and reported. The file is written atomically.
    """
    by_id = {context.context_id: context for context in rows(Context)}
    by_pair: dict[str, dict[str, Case]] = {}
    for case in rows(Case):
        if case.suite == SUITE:
            by_pair.setdefault(case.qa_pair_id, {})[case.variant] = case
    records: list[dict[str, Any]] = []
    left_out: list[Reject] = []
    for pair in rows(QAPair):
        record = _record(len(records), pair, by_pair.get(pair.qa_pair_id, {}), by_id)
        row = parsed(PublishedRow, record)
        if isinstance(row, list):
            left_out.append(reject_of("export", pair.qa_pair_id, row[0][0], listed(row)))
        else:
            records.append(record)
    with replaced(path) as unfinished:
        text = json.dumps(records, ensure_ascii=False, indent=4)
        unfinished.write_text(f"{text}\n", encoding="utf-8")
    return Exported(len(records), left_out)


def _record(
    idx: int, pair: QAPair, cases: Mapping[str, Case], contexts: Mapping[str, Context]
) -> dict[str, Any]:
    """Return one row of the file, its columns in order; missing values are None."""
    context = contexts.get(pair.context_id)
    ocr = cases.get("ocr")
    ocr_context = contexts.get(ocr.context_id or "") if ocr else None
    values: dict[str, Any] = {
        "idx": idx,
        "query": pair.query,
        "answer": pair.answer,
        "citations": pair.citation_text,
        "context": context.text if context else None,
        "ocr_context": ocr_context.text if ocr_context else None,
        "tokens": context.n_tokens if context else None,
        "citations_tokens": count_tokens(
            pair.citation_text, context.encoding if context else DEFAULT_ENCODING
        ),
    }
    for variant, column in QUERY_COLUMNS.items():
        case = cases.get(variant)
        # The layout has one context per row, so a query on another context does not fit.
        values[column] = case.query if case and case.context_id == pair.context_id else None
    return values
