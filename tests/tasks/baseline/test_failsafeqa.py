"""The rules of FailSafeQA ask about facts, give each query every form, and answer by search."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tasks.baseline.facts import facts_of
from tasks.baseline.failsafeqa import questions
from tasks.baseline.failsafeqa.answer import cite_in_json
from tasks.suites.failsafeqa.citations import json_spans
from tasks.suites.failsafeqa.perturbations.rewriting import (
    INCOMPLETE,
    OUT_OF_DOMAIN,
    QueryToRewrite,
    read_rewriting,
)
from tasks.suites.failsafeqa.questions import operations
from tests.tasks.suites.failsafeqa.conftest import DOCUMENT

COMPANY = "Wexcombe Mills, Inc."


def conversation(kind: str) -> tuple[operations.Turn, ...]:
    wanted = {kind: text for some in operations.WANTED.values() for kind, text in some.items()}
    inputs = operations.DialogueInputs("", DOCUMENT, "1", "x", wanted[kind])
    return operations.parse_dialogue(questions.write_dialogue(inputs))


def standalone(query: str, company: str = COMPANY) -> str:
    inputs = operations.RewritingInputs(company, operations.NAMING[False], "", query)
    return operations.parse_query(questions.rewrite_query(inputs))


TURNS = [turn for kind in ("table", "note") for turn in conversation(kind)]
QUERIES = sorted({standalone(turn.user) for turn in TURNS})


def test_every_figure_of_an_answer_is_a_fact() -> None:
    values = {fact.value for fact in facts_of(DOCUMENT)}
    for turn in TURNS:
        said = re.findall(r"\$[\d,]+ thousand", turn.assistant)
        assert said
        assert set(said) <= values


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("fact", r"what (was|were) our [^,]* in 201\d"),
        ("change", r"how did our .* change from 201\d to 201\d"),
        ("across", r"what (was|were) our .* in 201\d, and what (was|were) its .*"),
    ],
)
def test_all_questions_of_a_conversation_are_of_the_kind_wanted(kind: str, form: str) -> None:
    assert all(re.fullmatch(form, turn.user) for turn in conversation(kind)[:-1])


def test_an_email_opens_as_one_and_a_long_text_has_more_measures() -> None:
    email, note, article = (conversation(kind)[-1] for kind in ("email", "note", "long"))
    assert email.assistant == f"Dear all, these are our figures for 2017: {note.assistant}"
    assert article.user.count(";") == note.user.count(";") + 1


def test_what_did_not_change_is_no_change() -> None:
    fact = facts_of(DOCUMENT)[0]
    kinds = [kind for kind, _ in questions._questions([fact, replace(fact, year="2009")], [])]
    assert kinds == ["fact", "fact"]


@pytest.mark.parametrize(
    "answer",
    [
        "Inventories were $72 on September 28, 2024.",
        "<tr><th>2023</th><th>2024</th></tr>\n<tr><td>Inventories</td><td>$72</td></tr>",
    ],
)
def test_cites_a_row_with_its_years_and_not_a_sentence_of_the_same_date(answer: str) -> None:
    rows = "<S0>| 2024 | 2023\n<S1>Inventories | 72 | 71\n<S2>Inventories: September 28, 2024."
    reply = json.loads(cite_in_json(json_spans.SpanInputs(context=rows, query="", answer=answer)))
    assert reply["statements"][-1]["citation"] == [[1, 1], [0, 0]]


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
