"""A model gives a reply one to three points and names its failures (paper 001, appendix C)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, Operation
from tasks.inference.prompts import fence_of
from tasks.inference.schemas import closed, listed, one_of, text
from tasks.suites.shared.judging import Answered
from tasks.suites.tablequest.judge.verdict import (
    CRITIQUE,
    EMPTY,
    FAILURES,
    HIGHEST,
    LOWEST,
    SAMPLING,
    harmless,
    is_empty,
    judged,
    parse_critique,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The judge's inputs; all replies to a case share all but fence and reply."""

    context: str
    query: str
    reference: str
    fence: str
    answer: str


OPERATION: Operation[Inputs, tuple[int, tuple[str, ...]]] = Operation(
    name="judge_critique",
    template="tablequest/critique",
    inputs=Inputs,
    parse=parse_critique,
    sampling=SAMPLING,
    is_verdict=True,
    verdict_key=CRITIQUE,
    schema=closed(
        critique=text(600),
        failure_classes=listed(one_of(*FAILURES), most=len(FAILURES)),
        **{CRITIQUE: one_of(*range(LOWEST, HIGHEST + 1))},
    ),
)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per reply, in order; its score is 0, 1/2 or 1 for 1, 2 or 3 points.

    A reply without an answer is wrong, as at 1 point; no judge is asked about it.
    """
    asked = [each for each in answered if not is_empty(each)]
    verdicts = judged(asked, engine, OPERATION, _inputs)
    for thing in answered:
        if is_empty(thing):
            details = canonical_json({"points": LOWEST, "failures": ["empty"]})
            yield thing.unreadable(EMPTY, details)
            continue
        _, value, columns = next(verdicts)
        if value is None:
            yield thing.judgement(**columns)
            continue
        points, failures = value
        yield thing.judgement(
            score=(points - LOWEST) / (HIGHEST - LOWEST),
            details=canonical_json({"points": points, "failures": failures}),
            **columns,
        )


def _inputs(thing: Answered) -> Inputs:
    answer = harmless(thing.text)
    return Inputs(
        context=harmless(thing.context),
        query=harmless(thing.case.query),
        reference=harmless(thing.case.target),
        fence=fence_of(answer),
        answer=answer,
    )
