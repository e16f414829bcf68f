"""FailSafeQA's released layout is read row by row, refused with a reason, and written back."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.core.tables import to_record
from tasks.suites.failsafeqa.export import export
from tasks.suites.failsafeqa.published import COLUMNS, load
from tasks.suites.shared.published import (
    FIELD_EMPTY,
    FIELD_MISSING,
    NOT_TEXT,
    WRONG_TYPE,
    DatasetError,
    Rows,
)
from tasks.text.tokens import count_tokens

CONTEXT = (
    "  ACME   FICTION CORP\n\n\n"
    "Net sales were $12.4 million in 1998.   They rose.\n \n\nItem 2.  None.\n"
)
OCR = "  ACNE   FlCTION C0RP\n\n\nNet sa1es were $12.4 rnillion in 1998.   Thcy rose.\n"


def record(idx: int = 0, **changes: Any) -> dict[str, Any]:
    """One row of a small file of ours, in the layout's order."""
    row = {
        "idx": idx,
        "query": f"What were net sales in 1998 ({idx})?",
        "answer": "Net sales were $12.4 million.",
        "citations": "Net sales were $12.4 million in 1998.",
        "context": CONTEXT,
        "ocr_context": OCR,
        "tokens": 31,
        "citations_tokens": 11,
        "error_query": "What wer net salse in 1998?",
        "incomplete_query": "net sales 1998",
        "out-of-domain_query": "How much money did they take in during 1998?",
        "out-of-scope_query": "How many patents did Quillon hold in 2021?",
    }
    return row | changes


def write(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records, indent=4), encoding="utf-8")
    return path


def written(folder: Path, *records: dict[str, Any]) -> Path:
    return write(folder / "released.jsonl", list(records))


def reasons(rows: Rows) -> list[tuple[str, str]]:
    return [(reject.reason, reject.detail) for reject in rows[Reject]]


def test_a_row_becomes_one_pair_and_its_seven_cases(tmp_path: Path) -> None:
    rows = load(written(tmp_path, record()))
    (pair,) = rows[QAPair]
    assert (pair.query, pair.answer) == (record()["query"], record()["answer"])
    assert pair.citation_text == record()["citations"]
    assert (pair.citations, pair.quality, pair.task) == ((), None, "qa")
    by_kind = {context.kind: context for context in rows[Context]}
    assert (by_kind["dataset"].text, by_kind["ocr"].text) == (CONTEXT, OCR)
    query, context, ocr = pair.query, pair.context_id, by_kind["ocr"].context_id
    assert [(c.variant, c.query, c.context_id, c.target, c.is_answerable) for c in rows[Case]] == [
        ("baseline", query, context, pair.answer, True),
        ("misspelled", record()["error_query"], context, pair.answer, True),
        ("incomplete", record()["incomplete_query"], context, pair.answer, True),
        ("out_of_domain", record()["out-of-domain_query"], context, pair.answer, True),
        ("ocr", query, ocr, pair.answer, True),
        ("missing_context", query, None, pair.answer, False),
        ("irrelevant_context", record()["out-of-scope_query"], context, "", False),
    ]
    assert {case.suite for case in rows[Case]} == {"failsafeqa"}
    assert {case.qa_pair_id for case in rows[Case]} == {pair.qa_pair_id}
    assert json.loads(rows[Case][0].details) == {"dataset": "released.jsonl", "row": 1, "idx": 0}


@pytest.mark.parametrize("encoding", ["cl100k_base", "p50k_base"])
def test_tokens_are_counted_afresh_and_the_published_count_is_kept(
    tmp_path: Path, encoding: str
) -> None:
    rows = load(written(tmp_path, record(tokens=24_999)), encoding=encoding)
    for context in rows[Context]:
        assert context.encoding == encoding
        assert context.n_tokens == count_tokens(context.text, encoding)
    published = {c.kind: json.loads(c.details)["published_tokens"] for c in rows[Context]}
    assert published == {"dataset": 24_999, "ocr": None}


def test_json_lines_gzip_and_a_byte_order_mark_read_alike(tmp_path: Path) -> None:
    records = [record(0), record(1, answer="A line\u2028separator and a \u0085 in an answer.")]
    expected = load(written(tmp_path, *records))
    lines = "\ufeff" + "\n".join(json.dumps(row, ensure_ascii=False) for row in records) + "\n\n"
    (tmp_path / "lines").mkdir()
    flat = tmp_path / "lines" / "released.jsonl"
    flat.write_text(lines, encoding="utf-8")
    assert load(flat) == expected
    packed = tmp_path / "released.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.encode("utf-8")))
    assert load(packed)[QAPair] == expected[QAPair]


@pytest.mark.parametrize(
    ("changes", "reason", "column"),
    [
        ({"answer": None}, FIELD_MISSING, "answer"),
        ({"error_query": 7}, WRONG_TYPE, "error_query"),
        ({"ocr_context": float("nan")}, FIELD_MISSING, "ocr_context"),
        ({"citations": []}, FIELD_EMPTY, "citations"),
        ({"citations": {"a": 1}}, WRONG_TYPE, "citations"),
        ({"tokens": "many"}, WRONG_TYPE, "tokens"),
        ({"context": "half a pair: \ud83d"}, NOT_TEXT, "context"),
    ],
)
def test_a_faulty_row_is_a_reject_that_names_row_and_field(
    tmp_path: Path, changes: dict[str, Any], reason: str, column: str
) -> None:
    rows = load(written(tmp_path, record(0), record(1, **changes)))
    assert len(rows[QAPair]) == 1
    assert reasons(rows) == [(reason, f"row 2: {column} ({reason})")]
    assert rows[Reject][0].parent_id == "released.jsonl#row=2"
    assert rows[Reject][0].stage == "dataset"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "starts with neither"),
        (b"[]", "holds no records"),
        (b"[1, 2]", "none of the records (1 to 2) has query"),
        (b'[{"query": "What?",\n "answer": }]', "broken JSON in line 2"),
        (b'{"query": "What?"}\n{"query": \n', "of one object a line"),
        (b"[\xff]", "invalid start byte"),
    ],
)
def test_a_file_of_another_layout_is_an_error_that_says_what_is_expected(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        load(path)
    message = str(caught.value)
    assert says in message
    assert str(path) in message
    assert "out-of-scope_query" in message


def test_a_missing_file_and_a_truncated_gzip_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="No such file"):
        load(tmp_path / "nowhere.jsonl")
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps([record()]).encode())[:-20])
    with pytest.raises(DatasetError, match="cannot be read"):
        load(cut)


def rows_of(contexts: list[Context], pairs: list[QAPair], cases: list[Case]) -> Any:
    by_type: dict[type, Any] = {Context: contexts, QAPair: pairs, Case: cases}
    return lambda row_type, only=None: by_type[row_type]


def exported(folder: Path, rows: Rows) -> Path:
    path = folder / "exported.jsonl"
    done = export(path, rows_of(rows[Context], rows[QAPair], rows[Case]))
    assert done.n_rows == len(rows[QAPair])
    assert done.left_out == []
    return path


def test_what_is_exported_is_what_was_read(tmp_path: Path) -> None:
    given_rows = [
        record(0, tokens=count_tokens(CONTEXT)),
        record(1, tokens=1, context="Other.", answer="Ärger — no."),
    ]
    path = exported(tmp_path, load(written(tmp_path, *given_rows)))
    again = json.loads(path.read_text(encoding="utf-8"))
    assert [list(row) for row in again] == [list(COLUMNS)] * 2
    counts = {"tokens", "citations_tokens"}
    assert [{k: v for k, v in row.items() if k not in counts} for row in again] == [
        {k: v for k, v in row.items() if k not in counts} for row in given_rows
    ]
    assert again[0]["tokens"] == count_tokens(CONTEXT)
    assert again[0]["citations_tokens"] == count_tokens(record()["citations"])
    assert not list(tmp_path.glob(".*"))


def test_a_pair_that_lacks_a_variant_is_left_out_and_reported(tmp_path: Path) -> None:
    rows = load(written(tmp_path, record(0), record(1), record(2)))
    first, second, third = rows[QAPair]
    elsewhere = Context(**{**to_record(rows[Context][0]), "context_id": "elsewhere"})
    cases = [
        replace(case, context_id="elsewhere")
        if (case.qa_pair_id, case.variant) == (third.qa_pair_id, "irrelevant_context")
        else case
        for case in rows[Case]
        if (case.qa_pair_id, case.variant) != (second.qa_pair_id, "ocr")
    ]
    path = tmp_path / "some.jsonl"
    done = export(path, rows_of([*rows[Context], elsewhere], rows[QAPair], cases))
    assert [row["query"] for row in json.loads(path.read_text())] == [first.query]
    assert [(reject.parent_id, reject.reason, reject.detail) for reject in done.left_out] == [
        (second.qa_pair_id, FIELD_MISSING, "ocr_context (a field is missing)"),
        (third.qa_pair_id, FIELD_MISSING, "out-of-scope_query (a field is missing)"),
    ]
