"""What of a file in FAITH's released layout is refused, and with which reason."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.suites.faith.published import load
from tasks.suites.faith.published_layout import (
    MASK_BESIDE,
    REPORT_BROKEN,
    WRONG_MASK,
    WRONG_SPAN,
)
from tasks.suites.faith.rows import MaskedSpan
from tasks.suites.shared.published import DatasetError
from tasks.suites.shared.published_files import (
    FIELD_EMPTY,
    FIELD_MISSING,
    NOT_AN_OBJECT,
    NOT_TEXT,
    REPEATED,
    TOO_LONG,
    WRONG_TYPE,
    WRONG_VALUE,
)
from tests.faith_reports import instance, report, written

CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"sentence": None}, FIELD_MISSING, "sentence"),
    ({"ground_truth": " "}, FIELD_EMPTY, "ground_truth"),
    ({"post_sentence": "half a character \ud800"}, NOT_TEXT, "post_sentence"),
    ({"mask_type": "E"}, WRONG_VALUE, "mask_type"),
    ({"mask_span": [15, "27"]}, WRONG_TYPE, "mask_span"),
    ({"mask_span": [15, 2700]}, WRONG_SPAN, "mask_span"),
    ({"mask_span": [15, 26]}, WRONG_MASK, "masked_sentence"),
    ({"gpt-4.1_label": "maybe"}, WRONG_VALUE, "gpt-4.1_label"),
    ({"gpt\ud800_label": "answerable"}, NOT_TEXT, "gpt\\ud800_label"),
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
    (reject,) = rows.rejects
    assert (reject.reason, reject.parent_id) == (reason, "main.json#report=2&instance=2")
    assert reject.detail.startswith("report 2, instance 2, uid bad: ")
    assert named in reject.detail
    assert [span.uid for span in rows.of_suite[MaskedSpan]] == ["one", "good"]


def test_an_instance_that_is_no_object_or_stands_twice_is_a_reject(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(instance(), "text", instance(), instance("two"))))
    assert [reject.reason for reject in rows.rejects] == [NOT_AN_OBJECT, REPEATED, REPEATED]
    assert len(rows.qa_pairs) == 1


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
        (_without("metadata"), "metadata"),
        (
            lambda row: row | {"metadata": {"cik": "1800", "filing_date": "2024"}},
            "metadata.filing_date",
        ),
        (_without("tables"), "tables"),
        (_table(table_index="0"), "a table_index stands twice"),
        (_table(table_index="01"), "table_index"),
        (_table(table_index="9" * 5_000), "table_index"),
        (_table(cells=[["a", 5]]), "tables.2.cells.1.2"),
    ],
)
def test_instances_of_a_report_that_cannot_be_read_are_rejects_and_other_reports_stay(
    tmp_path: Path, broken: Callable[[dict[str, Any]], Any], named: str
) -> None:
    rows = load(written(tmp_path, broken(report(instance(), instance("two", 40, 44))), report()))
    assert [reject.reason for reject in rows.rejects] == [REPORT_BROKEN] * 2
    assert all(named in reject.detail for reject in rows.rejects)
    assert [reject.parent_id for reject in rows.rejects] == [
        "main.json#report=1&instance=1",
        "main.json#report=1&instance=2",
    ]
    assert len(rows.qa_pairs) == 1


def test_a_report_without_instances_is_one_reject(tmp_path: Path) -> None:
    rows = load(written(tmp_path, report(), {"metadata": {}}, 7))
    assert [reject.parent_id for reject in rows.rejects] == [
        "main.json#report=2&instance=1",
        "main.json#report=3&instance=1",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "starts with neither"),
        ('[{"metadata": ', "broken JSON in line 1, column 15"),
        ('[{"rows": []}]', "none of the records"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_in_another_layout_is_refused_with_what_to_do(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "main.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetError, match=message) as refused:
        load(path)
    assert "main.json" in str(refused.value)
    assert "one JSON array of reports" in str(refused.value)
