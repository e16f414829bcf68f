"""The model judge (paper 003, appendix D): what a reply is, and how good an answer it is.

A reply that is empty, or starts with its one code, is judged by rule; no model is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Reply
from tasks.inference.prompts import fence_of
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.refusalbench.judge.codes import ATTEMPT, read_reply
from tasks.suites.refusalbench.judge.replies import AnswerReply, reply_of
from tasks.suites.refusalbench.judge.rule import by_rule
from tasks.suites.refusalbench.judge.stated import LABELS
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
from tasks.suites.shared.judging import Answered, why_no_answer
from tasks.suites.shared.verdicts import unscored_reason

_SAMPLING = Sampling(temperature=0.0, max_tokens=512)
_CLASS = one_of(ATTEMPT, *CODES)
_MARK = one_of("1", "0", "N/A")
_LABEL = re.compile("|".join(each.replace("_", "[ _-]") for each in LABELS), re.IGNORECASE)


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
    schema=closed(
        explanation=REASON,
        classification=_CLASS,
        quality_score=one_of(*map(str, range(LOWEST, HIGHEST + 1)), "N/A"),
    ),
    sampling=_SAMPLING,
    is_verdict=True,
    verdict_key="classification",
)
MULTI: Operation[Any, Any] = Operation(
    name="judge_multi",
    template="refusalbench/judge_multi",
    inputs=MultiInputs,
    parse=partial(parse_garage_verdict, is_answerable=False),
    schema=closed(
        explanation=REASON,
        classification=_CLASS,
        eligibility=_MARK,
        factuality_all=_MARK,
        factuality_relevant=_MARK,
    ),
    sampling=_SAMPLING,
    is_verdict=True,
    verdict_key="classification",
)


def judge(answered: Sequence[Answered], engine: Engine | None, _: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order; see the suite's README for `details`."""
    assert engine is not None  # only a model can be such a judge
    read = {thing.subject_id: reply_of(thing) for thing in answered}
    asked = [thing for thing in answered if _needs_a_model(thing, read[thing.subject_id])]
    replies: dict[str, Reply[Any]] = {}
    for operation in (SINGLE, MULTI):
        questions = [
            thing.question(_inputs(thing, read[thing.subject_id]))
            for thing in asked
            if (thing.pair.task == "multi") == (operation is MULTI)
        ]
        replies |= {reply.subject_id: reply for reply in ask(engine, operation, questions)}
    for thing in answered:
        reply = replies.get(thing.subject_id)
        yield by_rule(thing) if reply is None else _judgement(thing, read[thing.subject_id], reply)


def _needs_a_model(thing: Answered, reply: AnswerReply) -> bool:
    if why_no_answer(thing.response) is not None or not reply.text.strip():
        return False
    return read_reply(reply.text, json.loads(thing.case.details)["answers"]).kind != "code"


def _inputs(thing: Answered, reply: AnswerReply) -> SingleInputs:
    text = _harmless(reply.text)
    shown = {
        "context": _harmless(thing.context),
        "query": _harmless(thing.case.query),
        "reference": _harmless(thing.case.target),
        "fence": fence_of(text),
        "reply": text,
    }
    if thing.pair.task != "multi":
        return SingleInputs(**shown)
    places = json.loads(thing.case.details)["relevant"]
    return MultiInputs(**shown, relevant=", ".join(str(place + 1) for place in places))


def _harmless(text: str) -> str:
    """Alter labels of a verdict, so that a judge that quotes the text gives no second verdict."""
    return _LABEL.sub(lambda found: f"{found[0]}s", text)


def _judgement(thing: Answered, reply: AnswerReply, judged: Reply[Any]) -> Judgement:
    text = as_lines(judged.response.text or "")
    expected = json.loads(thing.case.details)["expected"]
    is_multi = thing.pair.task == "multi"
    about: dict[str, Any] = {"confidence": reply.confidence}
    if judged.response.status == "ok":
        official = _read(text, expected, "official", is_multi=is_multi)
        about["official"] = _columns(official)
    label, reason = None, unscored_reason(judged)
    if reason is None:
        verdict = _read(text, expected, "strict", is_multi=is_multi)
        label = _label(verdict)
        reason = verdict.unscored_reason
        about |= _columns(verdict)
    return thing.judgement(
        label=label,
        unscored_reason=reason,
        rationale=judged.response.text,
        details=canonical_json(about),
        judge_request_id=judged.request.request_id,
    )


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
