"""The rule that says whether a document answers a query."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.scope import is_in_scope


@pytest.mark.parametrize(
    "query",
    [
        "What was gross profit in 2017?",
        "How many people did the company employ on December 31, 2017?",
        "What was research and development expense in 2016?",
        "Summarize the results of Harbor Lantern.",
        "Write a short post.",
    ],
)
def test_covered_queries_are_in_scope(query, material):
    assert is_in_scope(material.contexts["ctx-harbor"].text, query)


@pytest.mark.parametrize(
    "query",
    [
        "What was the total revenue of Velvet Orchard in 2003?",  # its name is not there
        "What was gross profit in 2011?",  # nor is the year
        "How many tons of apples did the harvest bring?",  # nor are the terms
        "Who holds the mortgage on the cider mill?",
    ],
)
def test_uncovered_queries_are_out_of_scope(query, material):
    assert not is_in_scope(material.contexts["ctx-harbor"].text, query)
