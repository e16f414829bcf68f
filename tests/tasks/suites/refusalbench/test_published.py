"""Released files of both layouts become rows, and rows the same files; entries are invented."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.published import PUBLISHED, WHICH_TEXT, export, load
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation, VerifierVote
from tasks.suites.shared.published import DatasetError, Imported

NQ = {
    "id": "RB-NQ_writer_17_P-MissingInfo_HIGH_0001",
    "source_id": "17",
    "generator_model": "writer",
    "perturbation_class": "P-MissingInfo",
    "intensity": "HIGH",
    "expected_rag_behavior": "REFUSE_INFO_MISSING_IN_CONTEXT",
    "lever_selected": "Price Redacted",
    "original_query": "What did the mill cost?",
    "original_context": "The mill cost $4 million. It opened in 1987.",
    "original_answers": ["$4 million", "four million dollars"],
    "perturbed_query": "What did the mill cost?",
    "perturbed_context": "The mill cost an undisclosed sum. It opened in 1987.",
    "implementation_reasoning": "The price is gone.",
    "verifier_votes": {"a": "PASS", "b": "PASS"},
    "note_of_a_later_version": {"kept": ["as", "it", "is"]},
}
SHOWN = [f"Passage about the mill, number {place}." for place in range(10)]
GARAGE = NQ | {
    "id": "RB-GaRAGe_1",
    "query": "What did the mill cost?",
    "grounding": [{f"cite_{n}": text, "age": n} for n, text in enumerate(SHOWN, start=1)],
    "original_context": "",
    "perturbed_context": "\n".join(SHOWN),
    "reference_answer": "$4 million",
    "signal_indices": [4, 0],
    "noise_indices": [1, 2, 3, 5, 6, 7, 8, 9],
}


def written(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "released.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def loaded(folder: Path, *entries: dict[str, Any], **options: Any) -> Imported:
    path = written(folder, *entries)
    PUBLISHED.check(path)
    return load(path, RefusalBenchOptions(**options), None, "cl100k_base")


def rows_of(imported: Imported) -> Callable[..., list[Any]]:
    made = list(imported.built())
    return lambda row_type, only=None: [row for row in made if isinstance(row, row_type)]


BARE = ("original_context", "original_answers", "implementation_reasoning", "verifier_votes")


@pytest.mark.parametrize(
    "entries",
    [
        [NQ],
        [GARAGE],
        [NQ, NQ | {"id": "2", "intensity": "MEDIUM"}],
        [NQ, NQ | {"id": "2", "licence": "their own words"}],
        [{name: GARAGE[name] for name in GARAGE if name not in BARE}],
        [{name: NQ[name] for name in NQ if name not in BARE[2:]}],
    ],
)
def test_a_released_file_is_exported_as_it_was(tmp_path: Path, entries: list[Any]) -> None:
    target = tmp_path / "again.jsonl"
    exported = export(target, rows_of(loaded(tmp_path, *entries)))
    assert exported.n_rows == len(entries)
    again = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert again == entries


def test_an_entry_becomes_a_question_a_perturbation_votes_and_a_case(tmp_path: Path) -> None:
    imported = loaded(tmp_path, NQ, answer_prompts=("plain", "confidence"))
    (base,) = imported.of_suite[BaseQuestion]
    (each,) = imported.of_suite[Perturbation]
    assert (base.answers, base.passages[0].text) == (
        tuple(NQ["original_answers"]),  # type: ignore[arg-type]
        NQ["original_context"],
    )
    assert [change.text for change in each.changes] == [NQ["perturbed_context"]]
    assert (each.perturbation_class, each.intensity) == ("missing_info", "high")
    assert [vote.passes for vote in imported.of_suite[VerifierVote]] == [True, True]
    assert [case.traits["prompt"] for case in imported.cases] == ["plain", "confidence"]
    shown = {context.context_id: context.text for context in imported.contexts}
    assert {shown[case.context_id or ""] for case in imported.cases} == {NQ["perturbed_context"]}
    assert not any(case.is_answerable for case in imported.cases)


def test_entries_on_one_question_share_its_rows(tmp_path: Path) -> None:
    low = {"intensity": "LOW", "expected_rag_behavior": "ANSWER_CORRECTLY"}
    imported = loaded(tmp_path, NQ, NQ | {"id": "2"} | low)
    assert len(imported.qa_pairs) == len(imported.of_suite[BaseQuestion]) == 1
    assert len(imported.filings) == len(imported.documents) == 1
    assert [case.is_answerable for case in imported.cases] == [False, True]


def test_a_vote_that_is_neither_is_unread(tmp_path: Path) -> None:
    imported = loaded(tmp_path, NQ | {"verifier_votes": {"a": True, "b": "maybe"}})
    votes = imported.of_suite[VerifierVote]
    assert [(vote.passes, vote.unread_reason) for vote in votes] == [
        (True, None),
        (None, "the file says 'maybe'"),
    ]


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"perturbation_class": "P-Other"}, "perturbation_class"),
        ({"intensity": "LOW"}, "expected_rag_behavior"),
        ({"perturbed_context": None}, "perturbed_context"),
        ({"original_answers": []}, "original_answers"),
        ({"lever_selected": " "}, "lever_selected"),
    ],
)
def test_a_wrong_entry_is_a_reject(tmp_path: Path, changes: dict[str, Any], detail: str) -> None:
    imported = loaded(tmp_path, NQ, NQ | {"id": "2"} | changes)
    (reject,) = imported.rejects
    assert detail in reject.detail
    assert len(imported.cases) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"signal_indices": [4]}, "signal_indices"),
        ({"grounding": [{"text": "no key"}] * 10}, "grounding"),
        ({"perturbed_context": "Something else."}, WHICH_TEXT),
    ],
)
def test_ten_passages_of_two_readings_are_a_reject(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    imported = loaded(tmp_path, GARAGE, GARAGE | {"id": "2"} | changes)
    (reject,) = imported.rejects
    assert reason in f"{reject.reason} {reject.detail}"


def test_ten_passages_are_shown_numbered_and_keep_their_licence(tmp_path: Path) -> None:
    imported = loaded(tmp_path, GARAGE)
    (case,) = imported.cases
    details = json.loads(case.details)
    assert details["relevant"] == [0, 4]
    assert details["licence"] == "CC-BY-NC-4.0"
    shown = {context.context_id: context.text for context in imported.contexts}
    assert shown[case.context_id or ""].startswith(f"Passage 1:\n{SHOWN[0]}")


def test_an_export_of_garage_says_its_licence(tmp_path: Path) -> None:
    target = tmp_path / "again.jsonl"
    assert "CC-BY-NC-4.0" in export(target, rows_of(loaded(tmp_path, GARAGE))).rows_are
    assert export(target, rows_of(loaded(tmp_path, NQ))).rows_are == "rows"


def test_rows_of_garage_are_not_mixed_with_others(tmp_path: Path) -> None:
    rows = rows_of(loaded(tmp_path, NQ, GARAGE))
    assert len(rows(Case)) == 2
    with pytest.raises(DatasetError, match=r"CC-BY-NC-4\.0 and must not be mixed"):
        export(tmp_path / "mixed.jsonl", rows)
