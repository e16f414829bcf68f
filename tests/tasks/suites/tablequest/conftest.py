"""Answered cases of TableQuest, made by hand."""

from __future__ import annotations

import pytest

from tasks.core.rows import QAPair
from tasks.suites.judge import Answered
from tests.answered import answered_case

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
    return answered_case(
        "tablequest",
        pair,
        text,
        model=model,
        judge=judge,
        context=f"{case}: {CONTEXT}",
        response=response,
        case_id=case,
        variant="html",
    )
