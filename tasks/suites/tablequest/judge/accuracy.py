"""A model judges whether an easy or medium answer is the reference's (paper 001, appendix D)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, Operation
from tasks.inference.prompts import fence_of
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.shared.judging import Answered
from tasks.suites.tablequest.judge.reading import read_answer
from tasks.suites.tablequest.judge.reference import REFERENCED
from tasks.suites.tablequest.judge.verdict import (
    ACCURACY,
    ANALYSIS,
    CORRECT,
    EMPTY,
    SAMPLING,
    WRONG,
    harmless,
    is_empty,
    judged,
    parse_accuracy,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The judge's inputs; all answers to a question share all but fence and answer."""

    query: str
    reference: str
    fence: str
    answer: str


OPERATION: Operation[Inputs, bool] = Operation(
    name="judge_accuracy",
    template="tablequest/accuracy",
    inputs=Inputs,
    parse=parse_accuracy,
    sampling=SAMPLING,
    is_verdict=True,
    verdict_key=ACCURACY,
    schema=closed(reason=REASON, **{ACCURACY: one_of(CORRECT, WRONG)}),
)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order: `correct`, `wrong`, or why not.

    Hard questions are left to other judges. An empty answer is wrong; no judge is asked about it.
    """
    asked = [each for each in answered if not _is_hard(each) and not is_empty(each)]
    verdicts = judged(asked, engine, OPERATION, _inputs)
    for thing in answered:
        if _is_hard(thing):
            yield thing.judgement(unscored_reason=ANALYSIS)
        elif is_empty(thing):
            yield thing.unreadable(EMPTY)
        else:
            _, value, columns = next(verdicts)
            label = None if value is None else CORRECT if value else WRONG
            yield thing.judgement(label=label, **columns)


def _is_hard(thing: Answered) -> bool:
    return thing.pair.task not in REFERENCED


def _inputs(thing: Answered) -> Inputs:
    answer = harmless(read_answer(thing.text, thing.case.query).answer)
    return Inputs(
        query=harmless(thing.case.query),
        reference=harmless(thing.case.target),
        fence=fence_of(answer),
        answer=answer,
    )
