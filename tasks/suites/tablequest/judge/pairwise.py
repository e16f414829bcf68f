"""A model compares two models' replies to one question (paper 001, appendix A).

A judge is asked in both orders. All models' replies to a case share one prompt prefix: criteria,
snippet, question and reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, Operation
from tasks.inference.prompts import fence_of
from tasks.inference.schemas import closed, one_of, text
from tasks.suites.shared.judging import AnsweredPair
from tasks.suites.tablequest.judge.verdict import (
    EMPTY,
    PAIRWISE,
    SAMPLING,
    by_silence,
    harmless,
    judged,
    parse_pairwise,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The judge's inputs; all replies to a case share all but fence and replies."""

    context: str
    query: str
    reference: str
    fence: str
    first: str
    second: str


OPERATION: Operation[Inputs, str] = Operation(
    name="judge_pairwise",
    template="tablequest/pairwise",
    inputs=Inputs,
    parse=parse_pairwise,
    sampling=SAMPLING,
    is_verdict=True,
    verdict_key=PAIRWISE,
    schema=closed(rationale=text(600), **{PAIRWISE: one_of("model_1", "model_2", "tie")}),
)


def judge(pairs: Sequence[AnsweredPair], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per two replies, in order: the first `won`, `lost`, or a `tie`.

    A reply without an answer loses to one with an answer; no judge is asked about it.
    """
    asked = [pair for pair in pairs if by_silence(pair) is None]
    verdicts = judged(asked, engine, OPERATION, _inputs)
    for pair in pairs:
        if silence := by_silence(pair):
            yield pair.judgement(label=silence, rationale=EMPTY)
        else:
            _, label, columns = next(verdicts)
            yield pair.judgement(label=label, **columns)


def _inputs(pair: AnsweredPair) -> Inputs:
    first, second = harmless(pair.first.text), harmless(pair.second.text)
    return Inputs(
        context=harmless(pair.context),
        query=harmless(pair.case.query),
        reference=harmless(pair.case.target),
        fence=fence_of(first, second),
        first=first,
        second=second,
    )
