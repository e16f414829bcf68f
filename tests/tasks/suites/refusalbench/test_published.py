"""Released files of both layouts become rows; entries are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Case, Context, Reject
from tasks.suites.refusalbench.options import RefusalBenchOptions
from tasks.suites.refusalbench.published import WHICH_TEXT, load
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation, VerifierVote
from tasks.suites.shared.published import Rows

FILE = Path(__file__).parents[3] / "published" / "refusalbench.jsonl"
NQ, _, GARAGE = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
SHOWN = [passage[f"cite_{n}"] for n, passage in enumerate(GARAGE["grounding"], start=1)]


def written(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "released.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def loaded(folder: Path, *entries: dict[str, Any], **options: Any) -> Rows:
    path = written(folder, *entries)
    return load(path, RefusalBenchOptions(**options), None, "cl100k_base")


def test_an_entry_becomes_a_question_a_perturbation_votes_and_a_case(tmp_path: Path) -> None:
    imported = loaded(tmp_path, NQ, answer_prompts=("plain", "confidence"))
    (base,) = imported[BaseQuestion]
    (each,) = imported[Perturbation]
    assert (base.answers, base.passages[0].text) == (
        tuple(NQ["original_answers"]),
        NQ["original_context"],
    )
    assert [change.text for change in each.changes] == [NQ["perturbed_context"]]
    assert (each.perturbation_class, each.intensity) == ("missing_info", "high")
    assert [vote.passes for vote in imported[VerifierVote]] == [True, True]
    assert [case.traits["prompt"] for case in imported[Case]] == ["plain", "confidence"]
    shown = {context.context_id: context.text for context in imported[Context]}
    assert {shown[case.context_id or ""] for case in imported[Case]} == {NQ["perturbed_context"]}
    assert not any(case.is_answerable for case in imported[Case])


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"perturbation_class": "P-Other"}, "perturbation_class"),
        ({"intensity": "LOW"}, "expected_rag_behavior"),
        ({"original_answers": []}, "original_answers"),
    ],
)
def test_a_wrong_entry_is_a_reject(tmp_path: Path, changes: dict[str, Any], detail: str) -> None:
    imported = loaded(tmp_path, NQ, NQ | {"id": "2"} | changes)
    (reject,) = imported[Reject]
    assert detail in reject.detail
    assert len(imported[Case]) == 1


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
    (reject,) = imported[Reject]
    assert reason in f"{reject.reason} {reject.detail}"


def test_ten_passages_are_shown_numbered_and_keep_their_licence(tmp_path: Path) -> None:
    imported = loaded(tmp_path, GARAGE)
    (case,) = imported[Case]
    details = json.loads(case.details)
    assert details["relevant"] == [0, 4]
    assert details["licence"] == "CC-BY-NC-4.0"
    shown = {context.context_id: context.text for context in imported[Context]}
    assert shown[case.context_id or ""].startswith(f"Passage 1:\n{SHOWN[0]}")
