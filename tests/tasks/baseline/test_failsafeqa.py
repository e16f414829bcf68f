"""The rules of FailSafeQA ask about facts, give each query every form, and answer by search."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from tasks.baseline.facts import facts_of
from tasks.baseline.failsafeqa import answer, judging, questions
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.suites.failsafeqa.citations.statements import cited_spans
from tasks.suites.failsafeqa.judge.verdict import Inputs as Judged
from tasks.suites.failsafeqa.perturbations.rewriting import (
    INCOMPLETE,
    OUT_OF_DOMAIN,
    QueryToRewrite,
    read_rewriting,
)
from tasks.suites.failsafeqa.questions import choice, dialogue, rewriting
from tasks.text.query_task import task_of
from tests.tasks.suites.failsafeqa.conftest import DOCUMENT

COMPANY = "Wexcombe Mills, Inc."


def conversation(number: int, focus: str = "x") -> tuple[dialogue.Turn, ...]:
    inputs = dialogue.Inputs(examples="", context=DOCUMENT, number=str(number), focus=focus)
    return dialogue.parse(questions.write_dialogue(inputs))


def standalone(query: str, company: str = COMPANY) -> str:
    inputs = rewriting.Inputs(company=company, conversation="", query=query)
    return rewriting.parse(questions.rewrite_query(inputs))


TURNS = [turn for number in range(1, 30) for turn in conversation(number, f"focus {number}")]
QUERIES = sorted({standalone(turn.user) for turn in TURNS})


# --- questions ---------------------------------------------------------------------------


def test_every_figure_of_an_answer_is_a_fact() -> None:
    values = {fact.value for fact in facts_of(DOCUMENT)}
    for turn in TURNS:
        said = re.findall(r"\$[\d,]+ thousand", turn.assistant)
        assert said
        assert set(said) <= values


def test_questions_ask_for_a_figure_a_change_and_a_comparison_and_texts_have_three_forms() -> None:
    openings = {" ".join(turn.user.split()[:2]) for turn in TURNS}
    assert openings >= {"what was", "what were", "how did", "which was"}
    assert {task_of(turn.user) for turn in TURNS} == {"qa", "tg"}
    assert openings >= {"write a", "list as", "create an"}


@pytest.mark.parametrize("wanted", ["qa", "tg"])
def test_the_choice_is_of_the_kind_that_is_wanted(wanted: str) -> None:
    turns = conversation(1)
    inputs = choice.Inputs(conversation=dialogue.numbered(turns), wanted=choice.WANTED[wanted])
    number = choice.OPERATION.parse(questions.choose_query(inputs))
    assert task_of(turns[number - 1].user) == wanted


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


# --- answers and citations ---------------------------------------------------------------


def test_a_row_is_cited_with_its_line_of_years_in_both_formats() -> None:
    said = "Gross profit was $1,060 thousand in 2016."
    tagged, sentences = json_spans.tagged(DOCUMENT)
    reply = answer.cite_in_json(json_spans.Inputs(tagged, "What was gross profit?", said))
    jsonschema.validate(json.loads(reply), json_spans.OPERATION.schema)
    (runs,) = json_spans.read_reply(reply)
    cited = [DOCUMENT[start:end] for start, end in cited_spans(runs, sentences)]
    assert "Gross profit | 1,090 | 1,060 | 960" in cited
    assert any("2016" in passage for passage in cited)
    tagged, sentences = longcite.tagged(DOCUMENT)
    reply = answer.cite_in_longcite(
        longcite.Inputs(tagged, "Who competes?", "It competes with Orrin Yarns.")
    )
    (runs,) = longcite.read_reply(reply)
    assert ["Orrin" in DOCUMENT[start:end] for start, end in cited_spans(runs, sentences)] == [True]


# --- ratings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("It was $1.06 million, after $960 thousand.", 5),
        ("It was $1,060 thousand.", 3),
        ("It was $1,060 thousand, after $999 thousand.", 3),
        ("Gross profit was $7 million.", 2),
        ("I cannot find this in the document.", 1),
        ("Bananas.", 1),
    ],
)
def test_an_answer_is_rated_by_the_figures_of_the_reference(text: str, rating: int) -> None:
    reference = "Gross profit went from $960 thousand in 2015 to $1,060 thousand in 2016."
    query = "How did gross profit change from 2015 to 2016?"
    inputs = Judged(rubric="", citation="", query=query, reference=reference, fence="", answer=text)
    assert judging.rate_answer(inputs)[0] == rating


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        (answer.NO_DOCUMENT, 6),
        (answer.NOT_IN_DOCUMENT, 6),
        ("The document does not say who audits it.", 4),
        ("I cannot tell, but it may be $5 million.", 3),
        ("It was $5 million.", 1),
    ],
)
def test_a_refusal_is_rated_by_what_it_says(text: str, rating: int) -> None:
    inputs = Judged(rubric="", citation="", query="Who?", reference="", fence="", answer=text)
    assert judging.rate_refusal(inputs)[0] == rating
