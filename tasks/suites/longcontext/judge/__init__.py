"""Compare the article IDs of a reply with the needles.

`read_ids` reads the IDs of a reply; `JUDGES` has a judge for each reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, ParseError
from tasks.suites.judge import Answered, why_no_answer
from tasks.suites.longcontext.judge.readers import FoundIds, Reader, read_ids, read_verdict
from tasks.suites.suite import Judge

__all__ = ["JUDGES", "FoundIds", "read_ids"]

CORRECT, WRONG = "correct", "wrong"

Reply = Literal["ids", "empty", "counting", "repeating", "cut", "unreadable"]
# IDs in a row, each one more than the last, or repeats that no honest list of at most ten needles
# has.
_DEGENERATE = 8


def judge(
    answered: Sequence[Answered], _: Engine | None, __: Any, *, reader: Reader
) -> Iterator[Judgement]:
    """Yield one judgement per answer: `correct` if the IDs are exactly the needles.

    `details` has the IDs, how they were read and what the reply is. Of a case with one article, it
    has what the reply says. A reply without either is `unreadable`, which counts as wrong: no model
    gains by unreadable replies.
    """
    for answer in answered:
        reason = why_no_answer(answer.response)
        if reason is not None:
            yield answer.judgement(unscored_reason=reason)
        elif answer.case.variant == "single":
            yield _judge_single(answer)
        else:
            yield _judge_record(answer, reader)


def _judge_record(answered: Answered, reader: Reader) -> Judgement:
    is_cut = answered.response.finish_reason == "length"
    # the last number of a cut reply may have lost digits, or counts lines
    text = re.sub(r"\d+[.)]?\s*\Z", "", answered.text) if is_cut else answered.text
    strict = read_ids(text, "strict")
    listed = strict if reader == "strict" else read_ids(answered.text, reader)
    ids, reply = sorted(set(listed.listed)), classify(strict, is_cut=is_cut)
    details = canonical_json({"ids": ids, "kind": listed.kind, "reply": reply})
    if listed.kind == "none":
        return answered.unreadable("the reply lists no article IDs and no empty list", details)
    is_correct = ids == sorted(json.loads(answered.case.target))
    return answered.judgement(label=CORRECT if is_correct else WRONG, details=details)


def _judge_single(answered: Answered) -> Judgement:
    try:
        verdict = "yes" if read_verdict(answered.text) else "no"
    except ParseError as error:
        return answered.unreadable(str(error), canonical_json({"said": None}))
    label = CORRECT if verdict == answered.case.target else WRONG
    return answered.judgement(label=label, details=canonical_json({"said": verdict}))


def classify(listed: FoundIds, *, is_cut: bool) -> Reply:
    """Say what a reply is; the first that fits.

    `counting` lists numbers in sequence and `repeating` the same ones again, as the authors'
    degenerate outputs do (paper 002, appendix A.2). `cut` ran into the limit of tokens.
    """
    run = longest = 1
    for before, after in pairwise(listed.listed):
        run = run + 1 if after == before + 1 else 1
        longest = max(longest, run)
    if longest >= _DEGENERATE:
        return "counting"
    if len(listed.listed) - len(set(listed.listed)) >= _DEGENERATE:
        return "repeating"
    if listed.kind == "none":
        return "unreadable"
    return "cut" if is_cut else "ids" if listed.listed else "empty"


_RULES: dict[Reader, str] = {
    "strict": "a reply must list just the needles. Digits of prose or of a cut end are no IDs",
    "paper": "as `strict`, but IDs are read as in the paper, also from prose",
}
JUDGES: dict[str, Judge] = {
    reader: Judge(run=partial(judge, reader=reader), version=3, rule=_RULES[reader])
    for reader in _RULES
}
