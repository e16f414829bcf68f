"""How many answers could not be judged, and why, in a sentence for each model and judge."""

from __future__ import annotations

from tasks.results.report.unscored import Unscored, unscored_sentences
from tasks.suites.page import BY_RULES


def test_all_forms_and_reasons_of_a_model_are_one_sentence_and_the_least_judged_is_first() -> None:
    rows = [
        Unscored("careful", "strict", "baseline", "no answer", 1, 2000),
        Unscored("hasty", "strict", "baseline", "no answer", 290, 297),
        Unscored("hasty", "strict", "ocr", "no answer", 1, 297),
        Unscored("hasty", "strict", "ocr", "cut off", 5, 297),
        Unscored("hasty", "official", "baseline", "cut off", 5, 297),
    ]
    assert list(unscored_sentences(rows, BY_RULES)) == [
        "hasty: 296 of 297 answers could not be judged by strict (291 of them: no answer).",
        "hasty: 5 of 297 answers could not be judged by official (cut off).",
        "careful: 1 of 2,000 answers could not be judged by strict (no answer).",
    ]
    assert list(unscored_sentences([], BY_RULES)) == []
