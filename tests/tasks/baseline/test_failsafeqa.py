"""The rules of FailSafeQA ask about facts, give each query every form, and answer by search."""

from __future__ import annotations

import re

import pytest

from tasks.baseline.facts import facts_of
from tasks.baseline.failsafeqa import questions
from tasks.suites.failsafeqa.perturbations.rewriting import (
    INCOMPLETE,
    OUT_OF_DOMAIN,
    QueryToRewrite,
    read_rewriting,
)
from tasks.suites.failsafeqa.questions import operations
from tests.tasks.suites.failsafeqa.conftest import DOCUMENT

COMPANY = "Wexcombe Mills, Inc."


def conversation(number: int, focus: str = "x") -> tuple[operations.Turn, ...]:
    inputs = operations.DialogueInputs(
        examples="",
        context=DOCUMENT,
        number=str(number),
        focus=focus,
        wanted=operations.WANTED["tg"][("table", "note")[number % 2]],
    )
    return operations.parse_dialogue(questions.write_dialogue(inputs))


def standalone(query: str, company: str = COMPANY) -> str:
    inputs = operations.RewritingInputs(company, operations.NAMING[False], "", query)
    return operations.parse_query(questions.rewrite_query(inputs))


TURNS = [turn for number in range(1, 30) for turn in conversation(number, f"focus {number}")]
QUERIES = sorted({standalone(turn.user) for turn in TURNS})


# --- questions ---------------------------------------------------------------------------


def test_every_figure_of_an_answer_is_a_fact() -> None:
    values = {fact.value for fact in facts_of(DOCUMENT)}
    for turn in TURNS:
        said = re.findall(r"\$[\d,]+ thousand", turn.assistant)
        assert said
        assert set(said) <= values


# --- forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES)
def test_each_query_has_each_form_by_construction(query: str) -> None:
    assert "our" not in query.split()
    assert "Wexcombe Mills'" in query
    asked = QueryToRewrite(query=query, company=COMPANY)
    shorter = read_rewriting(questions.shorten_query(asked))
    assert INCOMPLETE.fault_of(query, shorter) == ""
    assert "Wexcombe" not in shorter
    plain = read_rewriting(questions.use_plain_words(asked))
    assert OUT_OF_DOMAIN.fault_of(query, plain) == ""
    assert not any(
        re.search(rf"\b{re.escape(form)}\b", plain) for form in ("net sales", "gross profit")
    )
