"""The rule judge: it reads codes, and answers where a strict comparison decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Judgement
from tasks.inference.operation import Engine
from tasks.suites.judge import UNREADABLE, Answered, why_no_answer
from tasks.suites.refusalbench.base.answers import is_right, kind_of
from tasks.suites.refusalbench.judge.codes import ATTEMPT, read_reply
from tasks.suites.refusalbench.judge.replies import reply_of
from tasks.suites.refusalbench.judge.verdicts import GOOD, HIGHEST, LOWEST

EMPTY = "the reply is empty"
MIXED = "the reply has a code and other text or another code, which only a model can read"
NO_CODE = "a text without a code may answer or decline, which only a model can tell"
UNDECIDED = "a rule cannot compare the answer with the reference"
RULE = (
    "a code at the start is read as it is. An answer is right or wrong if a strict comparison with "
    "the reference decides. Else, and if a refusal has no code, it stays unscored, with bounds, "
    "unless a model reads it: --judge MODEL"
)


def judge(answered: Sequence[Answered], _: Engine | None, __: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order; see the suite's README for `details`."""
    for thing in answered:
        yield by_rule(thing)


def by_rule(thing: Answered) -> Judgement:
    """Judge one answer by rule; the judgement is unscored if no rule decides."""
    if reason := why_no_answer(thing.response):
        return thing.judgement(unscored_reason=reason)
    reply = reply_of(thing)
    about: dict[str, Any] = {"confidence": reply.confidence}
    if not reply.text.strip():
        return thing.unreadable(EMPTY, canonical_json(about))
    answers = json.loads(thing.case.details)["answers"]
    reading = read_reply(reply.text, answers)
    if reading.kind == "mixed":
        return thing.judgement(unscored_reason=MIXED, details=canonical_json(about))
    if reading.code is not None:
        return thing.judgement(label=reading.code, details=canonical_json(about))
    right = is_right(reply.text, answers, thing.case.query)
    if not thing.case.is_answerable:
        # one figure or date is an answer, and so is the one that the unchanged passage has
        is_attempt = right or kind_of(reply.text) != "text"
        verdict = {"label": ATTEMPT} if is_attempt else {"unscored_reason": NO_CODE}
        return thing.judgement(**verdict, details=canonical_json(about))
    if right is None:
        return thing.judgement(unscored_reason=UNDECIDED, details=canonical_json(about))
    about["raf" if thing.pair.task == "multi" else "quality"] = (
        int(right) if thing.pair.task == "multi" else HIGHEST if right else LOWEST
    )
    return thing.judgement(label=ATTEMPT, details=canonical_json(about))


def right(case: Case, judgement: Judgement) -> float | None:
    """Return 1 for the right code or answer, 0 for another, or RAF; None if unscored."""
    if judgement.unscored_reason is not None:
        return None
    if judgement.label == UNREADABLE:
        return 0.0
    if not case.is_answerable:
        return float(judgement.label == json.loads(case.details)["expected"])
    if judgement.label != ATTEMPT:
        return 0.0
    about = json.loads(judgement.details or "{}")
    if about.get("raf") is not None:
        return float(about["raf"])
    return None if about.get("quality") is None else float(about["quality"] >= GOOD)
