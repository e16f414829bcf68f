"""The rule that rewrites queries makes them questions that stand alone."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.rewriting import reply
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.suites.failsafeqa.questions.rewriting import Inputs, parse


@pytest.mark.parametrize(
    ("user", "assistant", "query"),
    [
        ("net sales in 2017", "Net sales were $4 million in 2017.", "What were net sales in 2017?"),
        (
            "need gross profit in 2017?",
            "Gross profit was $1 million in 2017.",
            "What was gross profit in 2017?",
        ),
        (
            "give me total assets in 2017 pls",
            "Total assets were $9 million.",
            "What were total assets in 2017?",
        ),
        ("how many mills do we own", "We own four mills.", "How many mills does the company own?"),
        (
            "why did our sales fall in 2017",
            "Prices fell.",
            "Why did the company's sales fall in 2017?",
        ),
        (
            "write a short note on our employees",
            "310 work here.",
            "Write a short note on the company's employees.",
        ),
        ("hi, can you tell me where the mill is, thanks!", "In Tarn.", "Where the mill is?"),
    ],
)
def test_drops_courtesies_and_writes_a_question(user: str, assistant: str, query: str) -> None:
    turns = [Turn("costs in 2017", "Costs was odd."), Turn(user, assistant)]
    assert reply(Inputs(conversation=numbered(turns), query=user)) == query


def test_a_rewritten_query_is_readable(document: str) -> None:
    assert parse(reply(Inputs(conversation="", query="net sales"))) == "What was net sales?"
