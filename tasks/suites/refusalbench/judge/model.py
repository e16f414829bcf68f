"""The model judge (paper 003, appendix D): what a reply is, and how good an answer it is.

A reply that is empty, or starts with its one code, is judged by rule; no model is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement, Sampling
from tasks.inference.operation import Engine, Operation, Reply
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.judge import Answered, judged, shown
from tasks.suites.refusalbench.judge.codes import ATTEMPT, read_reply
from tasks.suites.refusalbench.judge.replies import reply_of
from tasks.suites.refusalbench.judge.rule import by_rule
from tasks.suites.refusalbench.judge.verdicts import (
    HIGHEST,
    LOWEST,
    GarageVerdict,
    RefusalVerdict,
    as_lines,
    parse_garage_verdict,
    parse_verdict,
    read_garage_verdict,
    read_verdict,
)
from tasks.suites.refusalbench.strata import CODES

_SAMPLING = Sampling(temperature=0.0, max_tokens=512)
_CLASS = one_of(ATTEMPT, *CODES)
_MARK = one_of("1", "0", "N/A")
_SINGLE = closed(
    explanation=REASON,
    classification=_CLASS,
    quality_score=one_of(*map(str, range(LOWEST, HIGHEST + 1)), "N/A"),
)
_MULTI = closed(
    explanation=REASON,
    classification=_CLASS,
    eligibility=_MARK,
    factuality_all=_MARK,
    factuality_relevant=_MARK,
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


# An answer without a score is found out later: by the reply alone, it may be to an unanswerable
# case, which needs none.
SINGLE: Operation[Any, Any] = Operation(
    name="judge_single",
    template="refusalbench/judge_single",
    inputs=SingleInputs,
    parse=partial(parse_verdict, is_answerable=False),
    schema=_SINGLE,
    sampling=_SAMPLING,
)
MULTI: Operation[Any, Any] = Operation(
    name="judge_multi",
    template="refusalbench/judge_multi",
    inputs=MultiInputs,
    parse=partial(parse_garage_verdict, is_answerable=False),
    schema=_MULTI,
    sampling=_SAMPLING,
)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order; see the suite's README for `details`."""
    return judged(answered, engine, _asked, _columns_of)


def _asked(thing: Answered) -> tuple[Operation[Any, Any], SingleInputs] | Judgement:
    reply = reply_of(thing).text
    case, about = thing.case, json.loads(thing.case.details)
    if not reply.strip() or read_reply(reply, about["answers"]).kind == "code":
        return by_rule(thing)
    texts = {"context": thing.context, "query": case.query, "reference": case.target}
    if thing.pair.task != "multi":
        return SINGLE, shown(SingleInputs, _SINGLE, ("reply",), **texts, reply=reply)
    relevant = ", ".join(str(place + 1) for place in about["relevant"])
    inputs = shown(MultiInputs, _MULTI, ("reply",), **texts, reply=reply, relevant=relevant)
    return MULTI, inputs


def _columns_of(thing: Answered, reply: Reply[Any]) -> dict[str, Any]:
    text = as_lines(reply.response.text or "")
    expected = json.loads(thing.case.details)["expected"]
    is_multi = thing.pair.task == "multi"
    about: dict[str, Any] = {"confidence": reply_of(thing).confidence}
    columns: dict[str, Any] = {}
    if reply.response.status == "ok":
        about["official"] = _columns(_read(text, expected, "official", is_multi=is_multi))
    if reply.value is not None:
        verdict = _read(text, expected, "strict", is_multi=is_multi)
        columns = {"label": _label(verdict), "unscored_reason": verdict.unscored_reason}
        about |= _columns(verdict)
    return columns | {"details": canonical_json(about)}


def _read(text: str, expected: str, mode: Any, *, is_multi: bool) -> RefusalVerdict | GarageVerdict:
    return (read_garage_verdict if is_multi else read_verdict)(text, expected, mode)


def _label(verdict: RefusalVerdict | GarageVerdict) -> str | None:
    if isinstance(verdict, GarageVerdict):
        return verdict.refusal_classification
    return verdict.model_predicted_type


def _columns(verdict: RefusalVerdict | GarageVerdict) -> dict[str, Any]:
    """Return a verdict as `details` has it."""
    if isinstance(verdict, RefusalVerdict):
        return {
            "label": verdict.model_predicted_type,
            "quality": verdict.answer_quality_score,
            "match": verdict.refusal_match_correct,
        }
    return {
        "label": verdict.refusal_classification,
        "eligibility": verdict.eligibility_score,
        "factuality_all": verdict.unadjusted_factuality_score,
        "raf": verdict.raf_score,
        "match": verdict.refusal_match_correct,
    }
