"""The rule judge: it reads codes, and answers where a strict comparison decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine
from tasks.suites.judge import Answered, why_no_answer
from tasks.suites.refusalbench.base.answers import has_amount, is_right, kind_of
from tasks.suites.refusalbench.judge.replies import ATTEMPT, MIXED, classify, reply_of

LOWEST, HIGHEST, GOOD = 1, 5, 4  # the scale of quality, and the least of a correct answer

EMPTY = "the reply is empty"
MIXED_REPLY = "the reply has a code and other text or another code, which only a model can read"
NO_CODE = "a text without a code may answer or decline, which only a model can tell"
UNDECIDED = "a rule cannot compare the answer with the reference"
RULE = (
    "a code at the start is read as it is. An answer is right or wrong if a strict comparison with "
    "the reference decides. All other answers stay unscored, with bounds. A model can judge them: "
    "--judge MODEL"
)


def judge(answered: Sequence[Answered], _: Engine | None, __: Any) -> Iterator[Judgement]:
    """Yield one judgement per answer, in order; see the suite's README for `details`."""
    return map(judge_by_rule, answered)


def judge_by_rule(thing: Answered) -> Judgement:
    """Judge one answer by rule; the judgement is unscored if no rule decides."""
    if reason := why_no_answer(thing.response):
        return thing.judgement(unscored_reason=reason)
    reply, confidence = reply_of(thing)
    about: dict[str, Any] = {"confidence": confidence}
    if not reply.strip():
        return thing.unreadable(EMPTY, canonical_json(about))
    answers = json.loads(thing.case.details)["answers"]
    label = classify(reply, answers)
    verdict: dict[str, Any] = {"label": label}
    if label == MIXED:
        verdict = {"unscored_reason": MIXED_REPLY}
    elif label == ATTEMPT:
        is_same = is_right(reply, answers, thing.case.query)
        is_prose = kind_of(reply) == "text"
        if thing.case.is_answerable and is_same is None:
            verdict = {"unscored_reason": UNDECIDED}
        # one figure or date is an answer, and so is the one that the unchanged passage has; where
        # an answer is expected, so is a sentence with an amount
        elif not is_same and is_prose and not (thing.case.is_answerable and has_amount(reply)):
            verdict = {"unscored_reason": NO_CODE}
        elif thing.case.is_answerable and thing.pair.task == "multi":
            about["raf"] = int(is_same is True)
        elif thing.case.is_answerable:
            about["quality"] = HIGHEST if is_same else LOWEST
    return thing.judgement(**verdict, details=canonical_json(about))
