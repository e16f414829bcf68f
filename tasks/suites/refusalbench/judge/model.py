"""The model judge (paper 003, appendix D): what a reply is, and how good an answer it is.

A reply that is empty, or starts with its one code, is judged by rule; no model is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement, Sampling
from tasks.inference.operation import Engine, Operation, Reply
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.judge import Answered, judged, shown, verdict_operation
from tasks.suites.refusalbench.judge.replies import ATTEMPT, classify, reply_of
from tasks.suites.refusalbench.judge.rule import GOOD, HIGHEST, LOWEST, judge_by_rule
from tasks.suites.refusalbench.strata import CODES

NO_MARK = "the verdict has no mark for an answer"
_NONE = "N/A"  # the mark of a refusal
_SAMPLING = Sampling(temperature=0.0, max_tokens=512)
_CLASS = one_of(ATTEMPT, *CODES)
_FLAG = one_of("1", "0", _NONE)
_QUALITY = one_of(*map(str, range(LOWEST, HIGHEST + 1)), _NONE)
_SINGLE = closed(explanation=REASON, classification=_CLASS, quality_score=_QUALITY)
_MULTI = closed(
    explanation=REASON,
    classification=_CLASS,
    eligibility=_FLAG,
    factuality_all=_FLAG,
    factuality_relevant=_FLAG,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleInputs:
    """The judge's inputs; all replies to a case share all but fence and reply."""

    context: str
    query: str
    reference: str
    fence: str
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiInputs(SingleInputs):
    """The same, with the numbers of the relevant passages."""

    relevant: str


SINGLE = verdict_operation("refusalbench/judge_single", SingleInputs, _SINGLE, _SAMPLING)
MULTI = verdict_operation("refusalbench/judge_multi", MultiInputs, _MULTI, _SAMPLING)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order; see the suite's README for `details`."""
    return judged(answered, engine, _asked, _columns_of)


def _asked(thing: Answered) -> tuple[Operation[Any, Any], SingleInputs] | Judgement:
    reply, _ = reply_of(thing)
    case, about = thing.case, json.loads(thing.case.details)
    if not reply.strip() or classify(reply, about["answers"]) in CODES:
        return judge_by_rule(thing)
    texts = {"context": thing.context, "query": case.query, "reference": case.target}
    return question_on(
        about["relevant"] if thing.pair.task == "multi" else (), **texts, reply=reply
    )


def question_on(
    relevant: Sequence[int], **texts: str
) -> tuple[Operation[Any, Any], SingleInputs | MultiInputs]:
    """Return the operation that judges a reply, and its inputs.

    Args:
        relevant: places of the relevant ones of several passages, from 0; empty for one passage.
        texts: context, query, reference and reply.
    """
    if not relevant:
        return SINGLE, shown(SingleInputs, _SINGLE, ("reply",), **texts)
    places = ", ".join(str(place + 1) for place in relevant)
    return MULTI, shown(MultiInputs, _MULTI, ("reply",), **texts, relevant=places)


def is_good(verdict: dict[str, str] | None) -> bool:
    """Whether a verdict is of a right answer: quality 4 or 5, or a RAF of 1."""
    if verdict is None or verdict["classification"] != ATTEMPT or _NONE in verdict.values():
        return False
    scores = _scores(verdict)
    return scores["raf"] == 1 if "raf" in scores else scores["quality"] >= GOOD


def _columns_of(thing: Answered, reply: Reply[Any]) -> dict[str, Any]:
    about: dict[str, Any] = {"confidence": reply_of(thing)[1]}
    columns: dict[str, Any] = {}
    if reply.value is not None:
        label = reply.value["classification"]
        columns = {"label": label}
        if label == ATTEMPT and thing.case.is_answerable:
            if _NONE in reply.value.values():
                columns = {"unscored_reason": NO_MARK}
            else:
                about |= _scores(reply.value)
    return columns | {"details": canonical_json(about)}


def _scores(verdict: dict[str, str]) -> dict[str, int]:
    """Return an answer's marks by their names in `details`.

    RAF needs relevant passages and eligibility, as the paper says; the authors' code takes the
    first alone.
    """
    if "quality_score" in verdict:
        return {"quality": int(verdict["quality_score"])}
    eligibility = int(verdict["eligibility"])
    return {
        "eligibility": eligibility,
        "factuality_all": int(verdict["factuality_all"]),
        "raf": min(eligibility, int(verdict["factuality_relevant"])),
    }
