"""A rule prefers the answer that the reference calls correct; anything else is a tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.shared.judging import AnsweredPair
from tasks.suites.tablequest.judge.reference import match_of
from tasks.suites.tablequest.judge.verdict import EMPTY, by_silence, missing

BOTH_CORRECT = "both answers are correct"
BOTH_WRONG = "both answers are wrong"
ONE_CORRECT = "only one answer is correct"
NO_FIGURE = "no rule can judge answers to this question"


def judge(pairs: Sequence[AnsweredPair], _: Engine | None, __: Any) -> Iterator[Judgement]:
    """Yield one judgement per two answers, in order: the first `won`, `lost`, or a `tie`."""
    for pair in pairs:
        if reason := missing(pair):
            yield pair.judgement(unscored_reason=reason)
            continue
        if silence := by_silence(pair):
            yield pair.judgement(label=silence, rationale=EMPTY)
            continue
        first, second = match_of(pair.first), match_of(pair.second)
        if first is None or second is None:
            yield pair.judgement(label="tie", rationale=NO_FIGURE)
        elif first.correct == second.correct:
            why = BOTH_CORRECT if first.correct else BOTH_WRONG
            yield pair.judgement(label="tie", rationale=why)
        else:
            yield pair.judgement(label="won" if first.correct else "lost", rationale=ONE_CORRECT)
