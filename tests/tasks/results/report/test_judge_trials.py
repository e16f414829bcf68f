"""What is said of a judge that failed a trial."""

from __future__ import annotations

from tasks.results.report.judge_trials import JudgeTrial, trial_sentences


def test_each_judge_that_failed_in_something_has_a_sentence(snapshot) -> None:
    rows = [
        JudgeTrial("sound", 1540, 0, 0, 28, 0, 7, 0, 150, 0, None),
        JudgeTrial("fickle", 1540, 12, 0, 28, 3, 7, 1, 150, 9, 0.4),
        JudgeTrial("silent", 1540, 1540, 0, 0, 0, 0, 0, 0, 0, None),
        JudgeTrial("stubborn", 84, 0, 84, 0, 0, 0, 0, 0, 0, None),
    ]
    assert list(trial_sentences(rows)) == snapshot
