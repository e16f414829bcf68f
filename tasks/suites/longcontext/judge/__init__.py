"""The suite's judges: rules that compare the IDs of a reply with the needles.

`read_ids` reads the IDs of a reply; `JUDGES` has a judge for each reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Judgement
from tasks.inference.operation import Engine, ParseError
from tasks.suites.longcontext.judge.article_ids import FoundIds, Reader, classify, read_ids
from tasks.suites.longcontext.judge.single_article import read_verdict
from tasks.suites.shared.judging import Answered, why_no_answer
from tasks.suites.suite import Judge

__all__ = ["JUDGES", "READERS", "FoundIds", "read_ids"]

READERS: tuple[Reader, ...] = ("strict", "paper")
CORRECT, WRONG = "correct", "wrong"


def judge(
    answered: Sequence[Answered], _: Engine | None, __: Any, *, reader: Reader
) -> Iterator[Judgement]:
    """Yield one judgement per answer: `correct` if the IDs are exactly the needles.

    `details` has the IDs, how they were read and what the reply is. Of a case with one article, it
    has what the reply says; a reply that says nothing is wrong. So is one without IDs: no model
    gains by unreadable replies.
    """
    for each in answered:
        reason = why_no_answer(each.response)
        if reason is not None:
            yield each.judgement(unscored_reason=reason)
            continue
        is_single = each.case.variant == "single"
        is_correct, details = (_single if is_single else partial(_record, reader=reader))(each)
        yield each.judgement(
            label=CORRECT if is_correct else WRONG, details=canonical_json(details)
        )


def _record(answered: Answered, *, reader: Reader) -> tuple[bool, dict[str, Any]]:
    is_cut = answered.response.finish_reason == "length"
    # the last number of a cut reply may have lost digits, or counts lines
    text = re.sub(r"\d+[.)]?\s*\Z", "", answered.text) if is_cut else answered.text
    strict = read_ids(text, "strict")
    found = strict if reader == "strict" else read_ids(answered.text, reader)
    reply = classify(answered.text, strict, is_cut=is_cut)
    details = {"ids": list(found.ids), "kind": found.kind, "reply": reply}
    # without a needle, only a list that is empty says so
    is_read = found.kind != "none" or bool(found.ids)
    return is_read and list(found.ids) == sorted(json.loads(answered.case.target)), details


def _single(answered: Answered) -> tuple[bool, dict[str, Any]]:
    try:
        said = "yes" if read_verdict(answered.text) else "no"
    except ParseError:
        said = None
    return said == answered.case.target, {"said": said}


JUDGES: dict[str, Judge] = {reader: Judge(run=partial(judge, reader=reader)) for reader in READERS}
