"""FAITH's released layout is read report by report, and refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.suites.faith.published import load
from tasks.suites.faith.published_layout import (
    SAME_TABLES,
)
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.shared.published import Imported
from tasks.suites.shared.published_files import (
    REPEATED,
)
from tasks.suites.shared.tables.sheets import read_sheets
from tests.faith_reports import SENTENCE, instance, report, written
from tests.some import some


def test_a_report_becomes_a_filing_with_its_tables_and_an_instance_a_pair_with_its_case(
    tmp_path: Path,
) -> None:
    rows = load(written(tmp_path, report()))
    (filing,), (document,), (context,), (pair,), (case,), (span,) = (
        rows.filings,
        rows.documents,
        rows.contexts,
        rows.qa_pairs,
        rows.cases,
        rows.of_suite[MaskedSpan],
    )
    assert (filing.cik, str(filing.filed_date), filing.form) == ("1800", "2024-02-16", "dataset")
    assert [sheet.index for sheet in read_sheets(context.text)] == [0, 2, 10]
    assert (context.kind, context.document_ids[0]) == ("tables", document.document_id)
    assert (
        pair.query
        == "Wexcombe Mills spins wool.\nNet sales were [MASK] in 2023, up 5.1% from 2022."
    )
    assert (pair.answer, pair.task, case.target, case.variant) == (
        "$4,100,000",
        "mask",
        "$4,100,000",
        "baseline",
    )
    assert (span.masked_text, span.truth, span.unit, span.uid) == (
        "$4.1 million",
        "$4,100,000",
        "money",
        "one",
    )
    assert (span.pre_sentence, span.post_sentence) == ("Wexcombe Mills spins wool.", "")
    assert case.case_id != pair.qa_pair_id == span.qa_pair_id == case.qa_pair_id
    assert json.loads(case.details) == {
        "dataset": "main.json",
        "report": 1,
        "instance": 1,
        "uid": "one",
        "as_written": {"strict": "correct", "official": "correct"},
    }
    assert [(vote.model, vote.is_answerable) for vote in rows.of_suite[Vote]] == [
        ("gpt-4.1", True),
        ("gemini-2.5-pro", False),
    ]
    assert rows.rejects == []


def test_citations_tables_and_paragraphs_lie_in_the_documents_text(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report()))
    (document,), (pair,) = rows.documents, rows.qa_pairs
    (citation,) = pair.citations
    assert document.text[citation.start_char : citation.end_char] == citation.quote == SENTENCE
    by_index = {table.table_index: table for table in rows.filing_tables}
    assert (
        document.text[by_index[2].start_char : by_index[2].end_char]
        == "| 2023 | 2022\nNet sales | $4,100 | $3,900"
    )
    assert sum(paragraph.n_tokens for paragraph in document.paragraphs) == document.n_tokens
    spans = [document.text[p.start_char : p.end_char] for p in document.paragraphs]
    assert "\n\n".join(spans) == document.text


def test_a_figure_that_the_tables_give_has_its_derivation(tmp_path: Path) -> None:
    rows = load(
        written(tmp_path, report(instance(), instance("two", 40, 44, ground_truth="5.1282%")))
    )
    first = next(
        row
        for row in rows.of_suite[Derivation]
        if row.span_id == rows.of_suite[MaskedSpan][0].span_id
    )
    assert (first.place, first.operation, first.scenario) == (0, "lookup", "direct lookup")
    assert [(o.table_index, o.row, o.column, o.text) for o in first.operands] == [
        (2, 1, 1, "$4,100")
    ]
    assert rows.qa_pairs[0].traits == {
        "scenario": "direct lookup",
        "mask_type": "A",
        "unit": "money",
        "tables": "1-5",
    }


def test_the_same_report_twice_gives_its_filing_once(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(), report()))
    assert len(rows.filings) == len(rows.documents) == len(rows.contexts) == len(rows.qa_pairs) == 1
    assert [reject.reason for reject in rows.rejects] == [REPEATED]
    assert len({table.table_id for table in rows.filing_tables}) == len(rows.filing_tables) == 3


def test_a_report_with_the_tables_of_an_earlier_one_is_not_mixed_up_with_it(tmp_path: Path) -> None:
    other = report(instance("two", 40, 44), metadata={"cik": "2", "filing_date": "2025-01-01"})
    rows = load(written(tmp_path, report(), other))
    assert [reject.reason for reject in rows.rejects] == [SAME_TABLES]
    assert len(rows.documents) == len(rows.contexts) == 1


@pytest.fixture(scope="module")
def pilot(shared: Path) -> Imported:
    """The authors' five reports."""
    return load(shared / "reference" / "faith" / "pilot_part.json")


def test_the_pilots_reports_are_read_whole(pilot: Imported, shared: Path) -> None:
    path, rows = shared / "reference" / "faith" / "pilot_part.json", pilot
    assert (len(rows.filings), len(rows.qa_pairs), len(rows.rejects)) == (5, 92, 0)
    assert len(rows.of_suite[Vote]) == 276
    reports = json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda _: None)
    instances = [instance for report in reports for instance in report["instances"]]
    assert [(span.uid, span.sentence, span.truth) for span in rows.of_suite[MaskedSpan]] == [
        (each["uid"], each["sentence"], each["ground_truth"]) for each in instances
    ]
    assert [table.cells for table in rows.filing_tables] == [
        tuple(tuple(cell or "" for cell in row) for row in table["cells"])
        for report in reports
        for table in report["tables"]
    ]


def test_a_pilots_context_is_what_the_authors_show(pilot: Imported, shared: Path) -> None:
    """Every table and cell equals their prompts'; only line ends and whitespace differ."""
    folder = shared / "reference" / "faith"
    rendered = json.loads((folder / "prompt_parts.json").read_text(encoding="utf-8"))[
        "rendered_tables"
    ]
    ciks = {filing.filing_id: filing.cik for filing in pilot.filings}
    documents = {document.document_id: ciks[document.filing_id] for document in pilot.documents}
    for context in some(pilot.contexts):
        theirs = rendered[documents[context.document_ids[0]]]["csv"]
        assert context.text.split() == theirs.split()
