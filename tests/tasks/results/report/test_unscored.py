"""How many answers could not be judged, and why, in a sentence for each model and judge."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from tasks.results.report.unscored import Unscored, unscored_sentences
from tasks.suites.page import BY_RULES
from tasks.suites.shared.judging import NO_IMPORTED_ANSWER


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
    assert list(unscored_sentences(rows, BY_RULES)) == snapshot
    assert list(unscored_sentences([], BY_RULES)) == []


def test_cases_without_an_imported_answer_are_no_judges_fault() -> None:
    rows = [
        Unscored("ours", "strict", "baseline", NO_IMPORTED_ANSWER, 30, 79),
        Unscored("ours", "strict", "ocr", NO_IMPORTED_ANSWER, 39, 79),
        Unscored("ours", "strict", "ocr", "cut off", 2, 79),
        Unscored("ours", "official", "ocr", NO_IMPORTED_ANSWER, 69, 79),
    ]
    assert list(unscored_sentences(rows, BY_RULES)) == [
        "ours: 69 of 79 cases have no imported answer.",
        "ours: 2 of 10 answers could not be judged by strict (cut off).",
    ]
