"""A model's answer to a case, as a judge gets it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.core.rows import Prefix, QAPair
from tasks.inference.operation import Call
from tasks.suites.judge import Answered
from tasks.suites.shared.cases import case_of
from tests.scripted import response_to
from tests.sql.conftest import answer_request


def answered_case(
    suite: str,
    pair: QAPair,
    text: str | None,
    *,
    model: str = "m",
    judge: str = "scripted",
    context: str = "",
    response: dict[str, object] | None = None,
    **case: Any,
) -> Answered:
    """Answer a pair's case; `case` has columns that differ. None is a call that failed."""
    asked = replace(case_of(pair, suite), **case)
    request = answer_request(asked, model)
    call = Call(request, Prefix(prefix_id="p", text="", n_tokens=1))
    return Answered(
        case=asked,
        pair=pair,
        request=request,
        response=response_to(call, text, **(response or {})),
        judge=judge,
        context=context,
    )
