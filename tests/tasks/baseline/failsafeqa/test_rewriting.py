"""The rule that rewrites queries makes them questions that stand alone."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.rewriting import reply
from tasks.suites.failsafeqa.questions.dialogue import Turn, numbered
from tasks.suites.failsafeqa.questions.rewriting import NOT_KNOWN, Inputs, parse


@pytest.mark.parametrize(
    ("user", "assistant", "query"),
    [
        (
            "net sales in 2017",
            "Net sales were $4 million in 2017.",
            "What were Harrow Gate's net sales in 2017?",
        ),
        (
            "need gross profit in 2017?",
            "Gross profit was $1 million in 2017.",
            "What was Harrow Gate's gross profit in 2017?",
        ),
        (
            "give me total assets in 2017 pls",
            "Total assets were $9 million.",
            "What were Harrow Gate's total assets in 2017?",
        ),
        (
            "how many mills do we own",
            "We own four mills.",
            "How many mills does Harrow Gate own?",
        ),
        (
            "why did our sales fall in 2017",
            "Prices fell.",
            "Why did Harrow Gate's sales fall in 2017?",
        ),
        (
            "write a short note on our employees",
            "310 work here.",
            "Write a short note on Harrow Gate's employees.",
        ),
        (
            "how did the Women's line do in 2017",
            "It fell.",
            "At Harrow Gate, how did the Women's line do in 2017?",
        ),
        (
            "GAAP expense ratio in 2017",
            "GAAP expense ratio was 25.6% in 2017.",
            "What was Harrow Gate's GAAP expense ratio in 2017?",
        ),
    ],
)
def test_drops_courtesies_and_writes_a_question(user: str, assistant: str, query: str) -> None:
    turns = [Turn("costs in 2017", "Costs was odd."), Turn(user, assistant)]
    assert parse(reply(Inputs("Harrow Gate", numbered(turns), user))) == query


def test_without_company_and_period_the_query_is_the_companys() -> None:
    for query, rewritten in (("our net sales", "What was the company's net sales?"),
                             ("net sales", "What was net sales?")):  # fmt: skip
        assert parse(reply(Inputs(NOT_KNOWN, "", query))) == rewritten
