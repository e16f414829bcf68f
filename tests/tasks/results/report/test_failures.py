"""How many answers could not be judged, and why, in a sentence for each model and judge."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tasks.results.report.failures import (
    JudgeTrial,
    Unscored,
    trial_sentences,
    unscored_sentences,
)
from tasks.suites.judge import NO_IMPORTED_ANSWER


def test_all_forms_and_reasons_of_a_model_are_one_sentence_and_the_least_judged_is_first(
    snapshot: SnapshotAssertion,
) -> None:
    rows = [
        Unscored("careful", "strict", "baseline", "no answer", 1, 2000),
        Unscored("hasty", "strict", "baseline", "no answer", 290, 297),
        Unscored("hasty", "strict", "ocr", "no answer", 1, 297),
        Unscored("hasty", "strict", "ocr", "cut off", 5, 297),
        Unscored("hasty", "official", "baseline", "cut off", 5, 297),
    ]
    assert list(unscored_sentences(rows)) == snapshot
    assert list(unscored_sentences([])) == []


def test_cases_without_an_imported_answer_are_no_judges_fault() -> None:
    rows = [
        Unscored("ours", "strict", "baseline", NO_IMPORTED_ANSWER, 30, 79),
        Unscored("ours", "strict", "ocr", NO_IMPORTED_ANSWER, 39, 79),
        Unscored("ours", "strict", "ocr", "cut off", 2, 79),
        Unscored("ours", "official", "ocr", NO_IMPORTED_ANSWER, 69, 79),
    ]
    assert list(unscored_sentences(rows)) == [
        "ours: 69 of 79 cases have no imported answer.",
        "ours: 2 of 10 answers could not be judged by strict (cut off).",
    ]


def test_what_nobody_can_read_counts_as_wrong_and_is_told_first() -> None:
    rows = [
        Unscored("hasty", "strict", "baseline", "no verdict", 9, 278),
        Unscored("hasty", "strict", "baseline", "the reply is empty", 70, 278, "wrong"),
        Unscored("hasty", "strict", "ocr", "the reply states no figure", 4, 278, "wrong"),
        Unscored("other", "strict", "ocr", "the reply is empty", 1, 278, "wrong"),
    ]
    assert list(unscored_sentences(rows)) == [
        "hasty: 74 of 278 replies were empty or unreadable for strict and count as wrong "
        "(70 of them: the reply is empty).",
        "other: 1 of 278 replies was empty or unreadable for strict and counts as wrong "
        "(the reply is empty).",
        "hasty: 9 of 278 answers could not be judged by strict (no verdict).",
    ]


def test_each_judge_that_failed_in_something_has_a_sentence(snapshot: SnapshotAssertion) -> None:
    rows = [
        JudgeTrial("sound", 1540, 0, 0, 28, 0, 7, 0, 150, 0, None),
        JudgeTrial("fickle", 1540, 12, 0, 28, 3, 7, 1, 150, 9, 0.4),
        JudgeTrial("silent", 1540, 1540, 0, 0, 0, 0, 0, 0, 0, None),
        JudgeTrial("stubborn", 84, 0, 84, 0, 0, 0, 0, 0, 0, None),
    ]
    assert list(trial_sentences(rows)) == snapshot
