"""A model judges whether an easy or medium answer is the reference's (paper 001, appendix D)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, Operation
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.judge import Answered, judged, shown, verdict_operation
from tasks.suites.tablequest.judge.reading import (
    ANALYSIS,
    CORRECT,
    EMPTY,
    SAMPLING,
    WRONG,
    is_empty,
    read_answer,
)
from tasks.suites.tablequest.judge.reference import REFERENCED

SCHEMA = closed(reason=REASON, answer_is=one_of(CORRECT, WRONG))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyInputs:
    """The judge's inputs; all answers to a question share all but fence and answer."""

    query: str
    reference: str
    fence: str
    answer: str


OPERATION = verdict_operation("tablequest/accuracy", AccuracyInputs, SCHEMA, SAMPLING)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order: `correct`, `wrong`, or why not.

    Hard questions are left to other judges. An empty answer is wrong; no judge is asked about it.
    """
    return judged(
        *(answered, engine, _asked),
        lambda _, reply: {"label": reply.value and reply.value["answer_is"]},
    )


def _asked(thing: Answered) -> tuple[Operation[AccuracyInputs, Any], AccuracyInputs] | Judgement:
    if thing.pair.task not in REFERENCED:
        return thing.judgement(unscored_reason=ANALYSIS)
    if is_empty(thing):
        return thing.unreadable(EMPTY)
    query, reference = thing.case.query, thing.case.target
    answer = read_answer(thing.text).answer
    return OPERATION, shown(AccuracyInputs, SCHEMA, query=query, reference=reference, answer=answer)
