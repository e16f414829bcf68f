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
from tasks.inference.schemas import closed, one_of, text
from tasks.suites.judge import Answered, judged, shown, verdict_operation, why_no_answer
from tasks.suites.tablequest.judge.reading import EMPTY, SAMPLING, is_empty

_LABELS = {"model_1": "won", "model_2": "lost", "tie": "tie"}  # said of the first
SCHEMA = closed(rationale=text(600), better_model=one_of(*_LABELS))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseInputs:
    """The judge's inputs; all replies to a case share all but fence and replies."""

    context: str
    query: str
    reference: str
    fence: str
    first: str
    second: str


OPERATION = verdict_operation("tablequest/pairwise", PairwiseInputs, SCHEMA, SAMPLING)


def judge(pairs: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per two replies, in order: the first `won`, `lost`, or a `tie`.

    A reply without an answer loses to one with an answer; no judge is asked about it.
    """
    return judged(
        *(pairs, engine, _asked),
        lambda _, reply: {"label": reply.value and _LABELS[reply.value["better_model"]]},
    )


def _asked(pair: Answered) -> tuple[Operation[PairwiseInputs, Any], PairwiseInputs] | Judgement:
    if silence := _by_silence(pair):
        return pair.judgement(label=silence, rationale=EMPTY)
    case = pair.case
    texts = {"context": pair.context, "query": case.query, "reference": case.target}
    first, second = (answer.text for answer in pair.answers)
    inputs = shown(PairwiseInputs, SCHEMA, ("first", "second"), **texts, first=first, second=second)
    return OPERATION, inputs


def _by_silence(pair: Answered) -> str | None:
    """Decide between two replies of which one or both have no answer; None if both have one."""
    has_failed = any(why_no_answer(answer.response) for answer in pair.answers)
    first, second = map(is_empty, pair.answers)
    if has_failed or not (first or second):
        return None
    if first == second:
        return "tie"
    return "lost" if first else "won"
