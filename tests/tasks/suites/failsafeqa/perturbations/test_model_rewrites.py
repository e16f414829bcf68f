"""Rewrites as language models give them, good and bad, through the whole step."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case
from tasks.suites.failsafeqa.perturbations import incomplete, out_of_domain

PARTS = {"incomplete": incomplete, "out_of_domain": out_of_domain}
LOSES = "the rewriting loses an amount or a year of the query: "
BRINGS = "the rewriting brings an amount or a year of its own: "
NOT_LEFT_OUT = "the rewriting leaves out neither company, period nor a qualifier of the measure"

# The part, the query of Harbor Lantern, and a model's rewriting of it.
GOOD = [
    (
        "out_of_domain",
        "How much did Harbor Lantern pay into its 401(k) plan in 2017?",
        "How much did Harbor Lantern put into its workers' retirement savings in 2017?",
    ),
    (
        "out_of_domain",
        "When did Harbor Lantern emerge from Chapter 11 in 2017?",
        "When in 2017 did Harbor Lantern get out of bankruptcy?",
    ),
    (
        "out_of_domain",
        "What was the effect of SFAS 133 on Harbor Lantern in 2017?",
        "What did the new bookkeeping rule for bets on prices change at Harbor Lantern in 2017?",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in Q4 2017?",
        "What did Harbor Lantern earn in the last three months of 2017?",
    ),
    (
        "out_of_domain",
        "What is the rate of Harbor Lantern's ten-year notes issued in 2017?",
        "How much interest does Harbor Lantern pay on the loans that it took in 2017 for a decade?",
    ),
    (
        "out_of_domain",
        "Why did Harbor Lantern draw $3 million on its revolver in 2017?",
        "Why did Harbor Lantern borrow $3,000,000 from its standing bank loan in 2017?",
    ),
    (
        "out_of_domain",
        "What were Harbor Lantern's net sales in fiscal 2017?",
        "How much did they sell in their business year 2017, with returned goods taken off?",
    ),
    (
        "incomplete",
        "How much did Harbor Lantern pay into its 401(k) plan in 2017?",
        "401(k) contributions 2017?",
    ),
    (
        "incomplete",
        "What were Harbor Lantern's general and administrative expenses in 2017?",
        "g&a expenses 2017",
    ),
    ("incomplete", "What was Harbor Lantern's revenue in 2017?", "rev 2017?"),
    (
        "incomplete",
        "What was Harbor Lantern's total revenue in 2017?",
        "Harbor Lantern revenue 2017?",
    ),
    ("incomplete", "How many people did Harbor Lantern employ in 2017?", "number of employees"),
]
# The same, and why it cannot be used.
BAD = [
    (
        "out_of_domain",
        "Why did Harbor Lantern draw $3 million on its revolver in 2017?",
        "Why did Harbor Lantern borrow so much money from its bank in 2017?",
        LOSES + "$3 million",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "What did Harbor Lantern earn in 2018?",
        LOSES + "2017",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "What did Harbor Lantern earn in the end?",
        LOSES + "2017",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "what was Harbor Lantern's net income in 2017",
        "the rewriting is the query itself",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "Wie hoch war der Gewinn von Harbor Lantern im Jahr 2017?",
        "the rewriting is in another language",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "\u00bfCu\u00e1l fue la ganancia neta de Harbor Lantern en 2017?",
        "the rewriting is in another language",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "How much money did Harbor Lantern take in from customers in 2017?",
        "the rewriting asks for something else",
    ),
    (
        "out_of_domain",
        "What was Harbor Lantern's net income in 2017?",
        "Did Harbor Lantern earn $5.2 million in the end in 2017?",
        BRINGS + "$5.2 million",
    ),
    (
        "incomplete",
        "What was Harbor Lantern's net income in 2017?",
        "Harbor Lantern net income 2017?",
        NOT_LEFT_OUT,
    ),
    (
        "incomplete",
        "What was Harbor Lantern's net income in 2017?",
        "net income 2016?",
        BRINGS + "2016",
    ),
    (
        "incomplete",
        "Why did Harbor Lantern draw $3 million on its revolver in 2017?",
        "why revolver draw 2017?",
        LOSES + "$3 million",
    ),
]
MEANS_SOMETHING_ELSE = {
    rewritten for *_, rewritten, reason in BAD if reason == "the rewriting asks for something else"
}


def run(part, query, replies, cases, material, canned):
    """Rewrite one query by a model that gives these replies, the last again and again."""
    left = list(replies)

    def reply(operation, inputs):
        if operation == "check_same_answer":
            is_other = inputs["rewritten"] in MEANS_SOMETHING_ELSE
            return f"Both were read.\nVerdict: {'another' if is_other else 'same'}"
        return f"Query: {left.pop(0) if len(left) > 1 else left[0]}"

    case = replace(cases[0], query=query)
    engine = canned(reply)
    (row,) = PARTS[part].perturb([case], replace(material, generators=[engine]))
    return row, [call.inputs() for call in engine.calls if "earlier" in call.inputs()]


@pytest.mark.parametrize(("part", "query", "rewritten"), GOOD)
def test_a_right_rewriting_is_a_case(part, query, rewritten, cases, material, canned):
    row, asked = run(part, query, [rewritten], cases, material, canned)
    assert isinstance(row, Case), row
    assert row.query == rewritten
    assert len(asked) == 1


@pytest.mark.parametrize(("part", "query", "rewritten", "reason"), BAD)
def test_a_wrong_rewriting_is_asked_once_more_then_rejected(
    part, query, rewritten, reason, cases, material, canned
):
    again = rewritten.replace("What", "And what", 1) if rewritten[0] == "W" else f"{rewritten} "
    row, asked = run(part, query, [rewritten, again.strip()], cases, material, canned)
    assert not isinstance(row, Case)
    counted, _, which = reason.partition(": ")
    assert row.reason == counted
    assert row.detail.startswith(which)
    assert len(asked) == 2
    assert rewritten in asked[1]["earlier"]
    assert reason in asked[1]["earlier"]


def test_the_second_rewriting_may_be_right(cases, material, canned):
    query, right = "What was Harbor Lantern's net income in 2017?", "net income 2017?"
    for part, _, wrong, _ in [each for each in BAD if each[1] == query and "2016" in each[2]]:
        row, _ = run(part, query, [wrong, right], cases, material, canned)
        assert row.query == right
        assert json.loads(row.details)["attempts"] == 2
