"""The rule that checks rewritten queries against the document."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.same_answer import reply
from tasks.suites.failsafeqa.perturbations.same_answer import (
    ANOTHER,
    SAME,
    SEVERAL,
    SameAnswerInputs,
    read_verdict,
)

CONTEXT = """Harbor Lantern Corporation makes lanterns for ships and harbors.

Net sales of Harbor Lantern were $48.2 million in 2016 and $51.9 million in 2017. Harbor Lantern \
employed 412 people on December 31, 2017. The lamp guarantee covers three \
voyages. The weighted average lamp life was 9,300 hours in 2017.

Harbor Lantern completed the purchase of a mill in March 2017. Harbor Lantern issued a warning in \
May 2016. The overall staff turnover rate was 2.7% in 2017.

The following table shows the results, in thousands:

| 2017 | 2016
Gross profit | 17,300 | 16,100
Interest expense | 383 | 402
Product revenue | 40,000 | 38,000
Income tax | -0- | 77
Total revenue | 51,900 | 48,200"""


def check(query: str, answer: str, rewritten: str) -> str:
    inputs = SameAnswerInputs(
        context=CONTEXT,
        company="HARBOR LANTERN CORP",
        query=query,
        answer=answer,
        rewritten=rewritten,
    )
    return read_verdict(reply(inputs))


GROSS = ("What was Harbor Lantern's gross profit in 2017?", "It was $17,300 thousand.")
TURNOVER = ("What was the overall staff turnover rate in 2017?", "It was 2.7%.")
GUARANTEE = (
    "What is the lamp guarantee of Harbor Lantern, according to the annual report for 2017?",
    "The lamp guarantee covers three voyages.",
)
TAX = ("What was income tax in 2016?", "Income tax was $77 thousand.")
INTEREST = ("What was interest expense in 2017?", "Interest expense was $383 thousand.")


@pytest.mark.parametrize(
    ("pair", "rewritten", "verdict"),
    [
        (GROSS, "gross profit in 2017?", SAME),  # the company is the report's
        (GROSS, "gross profit?", SEVERAL),  # the row has two years
        (TAX, "income tax?", SEVERAL),  # the cell of its other year is no number
        (GROSS, "interest expense in 2017?", ANOTHER),
        (TURNOVER, "staff turnover rate?", SAME),  # stated for one year only
        (GUARANTEE, "lamp guarantee?", SAME),  # only one passage fits, of no year
        (INTEREST, "What was the cost of borrowing money in 2017?", SAME),
        (INTEREST, "What was the tax bill in 2017?", ANOTHER),
        (INTEREST, "How high were the mountains?", ANOTHER),
        (
            ("What did Harbor Lantern complete in March 2017?", "The purchase of a mill."),
            "what did they complete?",
            SEVERAL,  # one word fixes no event
        ),
    ],
)
def test_rewriting_must_find_what_the_query_finds_and_nothing_else(pair, rewritten, verdict):
    assert check(*pair, rewritten) == verdict


def test_everyday_words_must_not_fit_another_term_of_the_document():
    context = CONTEXT.replace("Product revenue", "Inventing and improving products | 1 | 2\nR&D")
    inputs = SameAnswerInputs(
        context=context.replace("Interest expense", "Tax bill | 5 | 6\nIncome tax provision"),
        company="HARBOR LANTERN CORP",
        query="What was the income tax provision in 2017?",
        answer="It was $383 thousand.",
        rewritten="What was the tax bill in 2017?",
    )
    assert read_verdict(reply(inputs)) == SAME  # "tax bill" is read as the term that the list has


def test_everyday_words_are_read_only_as_terms_that_one_passage_has():
    """The report has no accounts receivable, though it has both words."""
    context = CONTEXT.replace("Product revenue", "Trade receivables | 10 | 20\nProduct revenue")
    inputs = SameAnswerInputs(
        context=f"{context}\n\nIn 2017 Harbor Lantern opened accounts for ships. A receivable of "
        "2017 was sold.",
        company="HARBOR LANTERN CORP",
        query="What were trade receivables in 2017?",
        answer="Trade receivables were $10 thousand.",
        rewritten="What was the money customers still owe in 2017?",
    )
    assert read_verdict(reply(inputs)) == SAME
