"""A model gives a reply one to three points and names its failures (paper 001, appendix C)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, Operation, Reply
from tasks.inference.schemas import closed, listed, one_of, text
from tasks.suites.judge import Answered, judged, shown, verdict_operation
from tasks.suites.tablequest.judge.reading import EMPTY, SAMPLING, is_empty

FAILURES = ("empty", "retrieval", "calculation", "misreading", "missing step", "format")
LOWEST, HIGHEST = 1, 3
SCHEMA = closed(
    critique=text(600),
    failure_classes=listed(one_of(*FAILURES), most=len(FAILURES)),
    critique_points=one_of(*range(LOWEST, HIGHEST + 1)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CritiqueInputs:
    """The judge's inputs; all replies to a case share all but fence and reply."""

    context: str
    query: str
    reference: str
    fence: str
    answer: str


OPERATION = verdict_operation("tablequest/critique", CritiqueInputs, SCHEMA, SAMPLING)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per reply, in order; its score is 0, 1/2 or 1 for 1, 2 or 3 points.

    A reply without an answer is wrong, as at 1 point; no judge is asked about it.
    """
    return judged(answered, engine, _asked, _columns)


def _asked(thing: Answered) -> tuple[Operation[CritiqueInputs, Any], CritiqueInputs] | Judgement:
    if is_empty(thing):
        details = canonical_json({"points": LOWEST, "failures": ["empty"]})
        return thing.unreadable(EMPTY, details)
    texts = {"context": thing.context, "query": thing.case.query, "reference": thing.case.target}
    return OPERATION, shown(CritiqueInputs, SCHEMA, **texts, answer=thing.text)


def _columns(_: Answered, reply: Reply[dict[str, Any]]) -> dict[str, Any]:
    if reply.value is None:
        return {}
    points, failures = (reply.value[key] for key in ("critique_points", "failure_classes"))
    return {
        "score": (points - LOWEST) / (HIGHEST - LOWEST),
        "details": canonical_json({"points": points, "failures": failures}),
    }
