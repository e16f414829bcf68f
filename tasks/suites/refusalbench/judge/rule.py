"""The rule judge: it reads bare codes, and answers where a strict comparison decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.refusalbench.base.answers import is_right
from tasks.suites.refusalbench.judge.codes import ATTEMPT, read_reply
from tasks.suites.refusalbench.judge.replies import reply_of
from tasks.suites.refusalbench.judge.verdicts import HIGHEST, LOWEST
from tasks.suites.shared.judging import Answered, why_no_answer

MIXED = "a code stands beside other text, which takes a model to read"
UNDECIDED = "a rule cannot compare the answer with the reference"


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
    reading = read_reply(reply.text)
    if reading.kind == "mixed":
        return thing.judgement(unscored_reason=MIXED, details=canonical_json(about))
    if reading.kind == "code" or not thing.case.is_answerable:
        label = reading.code or ATTEMPT
        return thing.judgement(label=label, details=canonical_json(about))
    right = is_right(reply.text, json.loads(thing.case.details)["answers"], thing.case.query)
    if right is None:
        return thing.judgement(unscored_reason=UNDECIDED, details=canonical_json(about))
    about["raf" if thing.pair.task == "multi" else "quality"] = (
        int(right) if thing.pair.task == "multi" else HIGHEST if right else LOWEST
    )
    return thing.judgement(label=ATTEMPT, details=canonical_json(about))
