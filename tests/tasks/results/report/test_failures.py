"""How many answers could not be judged, and why, in a sentence for each model and judge."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tasks.results.report.failures import Row, trial_sentences, unscored_sentences
from tasks.suites.judge import NO_IMPORTED_ANSWER

UNSCORED = ("model", "judge", "variant", "unscored_reason", "n", "n_answers")
TRIAL = (
    *("judge", "n_asked", "n_unscored", "n_same", "n_attacks", "n_fell", "n_controls"),
    *("n_missed", "n_repeated", "n_flips", "self_preference"),
)


def unscored(*values: object, counted_as: str = "unscored") -> Row:
    return dict(zip(UNSCORED, values, strict=True)) | {"counted_as": counted_as}


def trial(*values: object) -> Row:
    return dict(zip(TRIAL, values, strict=True))


def test_all_forms_and_reasons_of_a_model_are_one_sentence_and_the_least_judged_is_first(
    snapshot: SnapshotAssertion,
) -> None:
    rows = [
        unscored("careful", "strict", "baseline", "no answer", 1, 2000),
        unscored("hasty", "strict", "baseline", "no answer", 290, 297),
        unscored("hasty", "strict", "ocr", "no answer", 1, 297),
        unscored("hasty", "strict", "ocr", "cut off", 5, 297),
        unscored("hasty", "official", "baseline", "cut off", 5, 297),
    ]
    assert list(unscored_sentences(rows)) == snapshot
    assert list(unscored_sentences([])) == []


def test_cases_without_an_imported_answer_are_no_judges_fault() -> None:
    rows = [
        unscored("ours", "strict", "baseline", NO_IMPORTED_ANSWER, 30, 79),
        unscored("ours", "strict", "ocr", NO_IMPORTED_ANSWER, 39, 79),
        unscored("ours", "strict", "ocr", "cut off", 2, 79),
        unscored("ours", "official", "ocr", NO_IMPORTED_ANSWER, 69, 79),
    ]
    assert list(unscored_sentences(rows)) == [
        "ours: 69 of 79 cases have no imported answer.",
        "ours: 2 of 10 answers could not be judged by strict (cut off).",
    ]


def test_what_nobody_can_read_counts_as_wrong_and_is_told_first() -> None:
    rows = [
        unscored("hasty", "strict", "baseline", "no verdict", 9, 278),
        unscored("hasty", "strict", "baseline", "the reply is empty", 70, 278, counted_as="wrong"),
        unscored("hasty", "strict", "ocr", "it states no figure", 4, 278, counted_as="wrong"),
        unscored("other", "strict", "ocr", "the reply is empty", 1, 278, counted_as="wrong"),
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
        trial("sound", 1540, 0, 0, 28, 0, 7, 0, 150, 0, None),
        trial("fickle", 1540, 12, 0, 28, 3, 7, 1, 150, 9, 0.4),
        trial("silent", 1540, 1540, 0, 0, 0, 0, 0, 0, 0, None),
        trial("stubborn", 84, 0, 84, 0, 0, 0, 0, 0, 0, None),
    ]
    assert list(trial_sentences(rows)) == snapshot
