"""The rule that reduces queries to search terms."""

from __future__ import annotations

import re

import pytest

from tasks.baseline.failsafeqa.incomplete import query_terms, reply
from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite, fault_of, read_rewriting
from tests.some import some


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("What was total revenue in 2017?", "total revenue 2017"),
        (
            (
                "What was the aggregate market value of the stock held "
                "by non-affiliates on June 30, 2018?"
            ),
            "aggregate market value stock held non-affiliates June 30, 2018",
        ),
        ("What is the filing date for the 10-K report?", "filing date 10-K"),
        ("Create an HTML table for the information about shares.", "HTML table information shares"),
        (
            "How many employees did the company have as of December 31, 2008?",
            "number of employees December 31, 2008",
        ),
        ("By how much did net income change from 2016 to 2017?", "net income change 2016 to 2017"),
        (
            "Summarize the company's revenue recognition policy.",
            "revenue recognition policy summary",
        ),
        (
            "Compare the net interest income from 2016 to 2017.",
            "net interest income 2016 to 2017 comparison",
        ),
        ("What was cost of sales in 1999?", "cost of sales 1999"),
        ("Why was net income higher in 2018 than in 2017?", "why net income higher 2018 than 2017"),
        (
            "Who is McEwen Mining's transfer agent in Canada?",
            "who McEwen Mining transfer agent Canada",
        ),
        ("Which US plants did Coca-Cola Company close?", "US plants Coca-Cola Company close"),
        ("Was the dividend not paid in 2009?", "dividend not paid 2009"),
        ("Describe the company's competition.", "company competition"),
    ],
)
def test_drops_the_question_frame_and_keeps_the_terms(query, terms):
    assert query_terms(query) == terms


def test_terms_without_a_frame_get_their_year_in_front():
    assert query_terms("net sales 2017") == "2017 net sales"


@pytest.mark.parametrize("query", ["EBITDA?", "backlog", "2017 net sales"])
def test_returns_bare_terms_unchanged(query):
    assert fault_of(query, query_terms(query), len(query)) == "the rewriting is the query itself"


def test_every_query_becomes_shorter_and_keeps_its_figures_and_names(queries):
    for query, company in some(queries):
        terms = query_terms(query)
        assert fault_of(query, terms, len(query)) is None, (query, terms)
        assert re.findall(r"\d+", terms) == re.findall(r"\d+", query) or "HTML" in terms
        if company in query:
            assert company.rstrip(".") in terms
        assert not {"what", "the", "was", "did"} & set(terms.split())


def test_the_rules_reply_is_read_back():
    assert (
        read_rewriting(reply(QueryToRewrite(query="What was goodwill in 2001?"))) == "goodwill 2001"
    )
