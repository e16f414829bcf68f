"""The pilot's layout: reports become rows, and what cannot be read is a reject with its place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case, Context, Document, Filing, FilingTable, QAPair, Reject
from tasks.suites.faith.published import load
from tasks.suites.faith.published_layout import MASK_BESIDE, REPORT_BROKEN, WRONG_MASK, WRONG_SPAN
from tasks.suites.faith.rows import MaskedSpan, Vote
from tasks.suites.shared.published import (
    FIELD_EMPTY,
    FIELD_MISSING,
    NOT_AN_OBJECT,
    NOT_TEXT,
    REPEATED,
    TOO_LONG,
    WRONG_TYPE,
    WRONG_VALUE,
    Rows,
)
from tasks.suites.shared.tables.sheets import read_sheets
from tests.some import some

SENTENCE = "Net sales were $4.1 million in 2023, up 5.1% from 2022."


def instance(uid: str = "one", start: int = 15, end: int = 27, **changes: Any) -> dict[str, Any]:
    row = {
        "uid": uid,
        "sentence": SENTENCE,
        "pre_sentence": "Wexcombe Mills spins wool.",
        "post_sentence": None,
        "mask_type": "A",
        "mask_span": [start, end],
        "masked_sentence": f"{SENTENCE[:start]}[MASK]{SENTENCE[end:]}",
        "ground_truth": "$4,100,000",
        "gpt-4.1_label": "answerable",
        "gemini-2.5-pro-label": "unanswerable",
        "claude-sonnet-4-label": None,
    }
    return row | changes


def report(*instances: Any, **changes: Any) -> dict[str, Any]:
    tables = [
        {"table_index": "0", "cells": [["", "2023"], ["Wool", "12"]], "pre_text": "Bales\nof wool"},
        {"table_index": "10", "cells": [["", "2023"], ["Dyes", "7"]], "pre_text": ""},
        {
            "table_index": "2",
            "cells": [["", "2023", "2022"], ["Net sales", "$4,100", "$3,900"], ["", "", ""]],
            "pre_text": "Results (in thousands)",
        },
    ]
    row = {
        "metadata": {"cik": "1800", "filing_date": "2024-02-16"},
        "tables": tables,
        "instances": list(instances) or [instance()],
    }
    return row | changes


def written(folder: Path, *reports: Any) -> Path:
    path = folder / "main.json"
    path.write_text(json.dumps(list(reports)).replace("null", "NaN"), encoding="utf-8")
    return path


def test_a_report_becomes_a_filing_with_its_tables_and_an_instance_a_pair_with_its_case(
    tmp_path: Path,
) -> None:
    rows = load(written(tmp_path, report()))
    ((filing,), (document,), (context,), (pair,), (case,)) = (
        rows[Filing], rows[Document], rows[Context], rows[QAPair], rows[Case],
    )  # fmt: skip
    (span,) = rows[MaskedSpan]
    assert (filing.cik, str(filing.filed_date), filing.form) == ("1800", "2024-02-16", "dataset")
    assert [sheet.index for sheet in read_sheets(context.text)] == [0, 2, 10]
    assert (context.kind, context.document_ids[0]) == ("tables", document.document_id)
    masked = "Net sales were [MASK] in 2023, up 5.1% from 2022."
    assert pair.query == f"Wexcombe Mills spins wool.\n{masked}"
    assert (span.masked_text, span.unit, span.uid) == ("$4.1 million", "money", "one")
    assert pair.answer == case.target == span.truth == "$4,100,000"
    assert case.case_id != pair.qa_pair_id == span.qa_pair_id == case.qa_pair_id
    assert json.loads(case.details) == {
        "dataset": "main.json",
        "report": 1,
        "instance": 1,
        "uid": "one",
        "as_written": {"strict": "correct", "official": "correct"},
    }
    votes = [(vote.model, vote.is_answerable) for vote in rows[Vote]]
    assert votes == [("gpt-4.1", True), ("gemini-2.5-pro", False)]
    assert rows[Reject] == []


def test_citations_tables_and_paragraphs_lie_in_the_documents_text(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report()))
    (document,), (pair,) = rows[Document], rows[QAPair]
    (citation,) = pair.citations
    assert document.text[citation.start_char : citation.end_char] == citation.quote == SENTENCE
    by_index = {table.table_index: table for table in rows[FilingTable]}
    assert (
        document.text[by_index[2].start_char : by_index[2].end_char]
        == "| 2023 | 2022\nNet sales | $4,100 | $3,900"
    )
    assert sum(paragraph.n_tokens for paragraph in document.paragraphs) == document.n_tokens
    spans = [document.text[p.start_char : p.end_char] for p in document.paragraphs]
    assert "\n\n".join(spans) == document.text


def test_the_same_report_twice_gives_its_filing_once(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(), report()))
    assert len(rows[Filing]) == len(rows[Document]) == len(rows[Context]) == len(rows[QAPair]) == 1
    assert [reject.reason for reject in rows[Reject]] == [REPEATED]
    assert len({table.table_id for table in rows[FilingTable]}) == len(rows[FilingTable]) == 3


@pytest.fixture(scope="module")
def pilot(shared: Path) -> Rows:
    """The authors' five reports."""
    return load(shared / "reference" / "faith" / "pilot_part.json")


def test_the_pilots_reports_are_read_whole(pilot: Rows, shared: Path) -> None:
    path, rows = shared / "reference" / "faith" / "pilot_part.json", pilot
    assert (len(rows[Filing]), len(rows[QAPair]), len(rows[Reject])) == (5, 92, 0)
    assert len(rows[Vote]) == 276
    reports = json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda _: None)
    instances = [instance for report in reports for instance in report["instances"]]
    assert [(span.uid, span.sentence, span.truth) for span in rows[MaskedSpan]] == [
        (each["uid"], each["sentence"], each["ground_truth"]) for each in instances
    ]
    assert [table.cells for table in rows[FilingTable]] == [
        tuple(tuple(cell or "" for cell in row) for row in table["cells"])
        for report in reports
        for table in report["tables"]
    ]


def test_a_pilots_context_is_what_the_authors_show(pilot: Rows, shared: Path) -> None:
    """Every table and cell equals their prompts'; only line ends and whitespace differ."""
    folder = shared / "reference" / "faith"
    rendered = json.loads((folder / "prompt_parts.json").read_text(encoding="utf-8"))[
        "rendered_tables"
    ]
    ciks = {filing.filing_id: filing.cik for filing in pilot[Filing]}
    documents = {document.document_id: ciks[document.filing_id] for document in pilot[Document]}
    for context in some(pilot[Context]):
        theirs = rendered[documents[context.document_ids[0]]]["csv"]
        assert context.text.split() == theirs.split()


# --- rejects ---

CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"sentence": None}, FIELD_MISSING, "sentence"),
    ({"ground_truth": " "}, FIELD_EMPTY, "ground_truth"),
    ({"post_sentence": "half a character \ud800"}, NOT_TEXT, "post_sentence"),
    ({"mask_type": "E"}, WRONG_VALUE, "mask_type"),
    ({"mask_span": [15, "27"]}, WRONG_TYPE, "mask_span"),
    ({"mask_span": [15, 2700]}, WRONG_SPAN, "mask_span"),
    ({"mask_span": [15, 26]}, WRONG_MASK, "masked_sentence"),
    ({"gpt-4.1_label": "maybe"}, WRONG_VALUE, "gpt-4.1_label"),
    ({"gpt\ud800_label": "answerable"}, NOT_TEXT, "labels.gpt"),
    ({"post_sentence": "They were [MASK] before."}, MASK_BESIDE, "post_sentence"),
    ({"ground_truth": "9" * 100_000}, TOO_LONG, "ground_truth"),
    ({"mask_span": [15, 10**30]}, WRONG_TYPE, "mask_span"),
]


@pytest.mark.parametrize(("changes", "reason", "named"), CHANGES)
def test_a_bad_instance_is_a_reject_that_names_its_place_and_field_and_the_others_stay(
    tmp_path: Path, changes: dict[str, Any], reason: str, named: str
) -> None:
    rows = load(
        written(tmp_path, report(), report(instance("good", 40, 44), instance("bad", **changes)))
    )
    (reject,) = rows[Reject]
    assert (reject.reason, reject.parent_id) == (reason, "main.json#report=2&instance=2")
    assert reject.detail.startswith("report 2, instance 2, uid bad: ")
    assert named in reject.detail
    assert [span.uid for span in rows[MaskedSpan]] == ["one", "good"]


def test_an_instance_that_is_no_object_or_stands_twice_is_a_reject(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(instance(), "text", instance(), instance("two"))))
    assert [reject.reason for reject in rows[Reject]] == [NOT_AN_OBJECT, REPEATED, REPEATED]
    assert len(rows[QAPair]) == 1


def _without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda row: {name: value for name, value in row.items() if name != key}


def _table(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    def changed(row: dict[str, Any]) -> dict[str, Any]:
        row = copy.deepcopy(row)
        row["tables"][1] |= changes
        return row

    return changed


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (
            lambda row: row | {"metadata": {"cik": "1800", "filing_date": "2024"}},
            "metadata.filing_date",
        ),
        (_without("tables"), "tables"),
        (_table(table_index="0"), "a table_index stands twice"),
        (_table(table_index="9" * 5_000), "table_index"),
        (_table(cells=[["a", 5]]), "tables.2.cells.1.2"),
    ],
)
def test_instances_of_a_report_that_cannot_be_read_are_rejects_and_other_reports_stay(
    tmp_path: Path, broken: Callable[[dict[str, Any]], Any], named: str
) -> None:
    rows = load(written(tmp_path, broken(report(instance(), instance("two", 40, 44))), report()))
    assert [reject.reason for reject in rows[Reject]] == [REPORT_BROKEN] * 2
    assert all(named in reject.detail for reject in rows[Reject])
    assert [reject.parent_id for reject in rows[Reject]] == [
        "main.json#report=1&instance=1",
        "main.json#report=1&instance=2",
    ]
    assert len(rows[QAPair]) == 1


def test_a_report_without_instances_is_one_reject(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(), {"metadata": {}}, 7))
    assert [reject.parent_id for reject in rows[Reject]] == [
        "main.json#report=2&instance=1",
        "main.json#report=3&instance=1",
    ]
