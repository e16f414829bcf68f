"""Answered cases of TableQuest, made by hand."""

from __future__ import annotations

import pytest

from tasks.core.rows import Case, Prefix, QAPair
from tasks.inference.operation import Call
from tasks.suites.judge import Answered
from tests.scripted import response_to
from tests.sql.conftest import answer_request

CONTEXT = "Sales by region.\n\n<table><tr><th></th><th>2023</th></tr><tr><td>A</td></tr></table>"


@pytest.fixture(scope="session")
def answered():
    """A model's reply to a case, as a judge gets it."""
    return make_answered


def make_answered(
    text: str | None,
    target: str = "$13.2 million",
    *,
    level: str = "medium",
    model: str = "m",
    case: str = "case",
    judge: str = "scripted",
    **response: object,
) -> Answered:
    pair = QAPair(
        qa_pair_id=f"pair of {case}",
        context_id=f"context of {case}",
        query=f"By how much did sales fall in {case}?",
        answer=target,
        task=level,
    )
    asked = Case(
        case_id=case,
        qa_pair_id=pair.qa_pair_id,
        suite="tablequest",
        variant="html",
        query=pair.query,
        context_id=pair.context_id,
        target=target,
        is_answerable=True,
    )
    request = answer_request(asked, model)
    call = Call(request, Prefix(prefix_id="p", text="", n_tokens=1))
    return Answered(
        case=asked,
        pair=pair,
        request=request,
        response=response_to(call, text, **response),
        judge=judge,
        context=f"{case}: {CONTEXT}",
    )
