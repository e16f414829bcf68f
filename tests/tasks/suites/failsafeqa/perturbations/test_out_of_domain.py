"""Queries in everyday words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Case, Reject
from tasks.suites.failsafeqa.perturbations.out_of_domain import perturb

# What language models write for terms with numbers in them; each lost the exact digits.
TYPICAL = {
    "How much did the Company pay into its 401(k) plan in 2017?": (
        "How much money did they put into the workers' retirement savings in 2017?"
    ),
    "Why did it file for protection under Chapter 11 in 2002?": (
        "Why did the company go to a bankruptcy court in 2002?"
    ),
    "How did the adoption of SFAS 133 affect earnings in 2001?": (
        "What did the new bookkeeping rule for bets on prices do to the profit in 2001?"
    ),
    "What were net sales in Q4 2018?": ("How much did they sell in the last three months of 2018?"),
    "What is the coupon of the ten-year senior notes?": (
        "How much interest do the 10-year loans that get paid back first bring?"
    ),
    "What drove the $1.2 billion impairment in fiscal 2019?": (
        "Why did they write down 1,200 million dollars in their business year 2019?"
    ),
    "What did ASC 606 change in FY2018?": (
        "What did the new rule on when a sale counts change in their 2018 financial year?"
    ),
    "How many Level 3 assets were held at December 31, 2020?": (
        "How many things whose price is hard to know did they own at the end of 2020?"
    ),
}


def test_the_part_makes_cases(cases, material):
    rows = {row.qa_pair_id: row for row in perturb(cases, material) if isinstance(row, Case)}
    assert rows["qa-0"].query == "What were the sales, after returns, of Harbor Lantern in 2017?"
    assert json.loads(rows["qa-0"].details)["same_answer"]["verdict"] == "same"


def test_a_query_without_known_terms_is_rejected(cases, material):
    (row,) = perturb([replace(cases[0], query="Where is the mill in Medford?")], material)
    assert isinstance(row, Reject)
    assert row.reason == "the rewriting is the query itself"


@pytest.mark.parametrize("query", TYPICAL)
def test_typical_rewritings_of_a_language_model_become_cases(query, cases, material, canned):
    engine = canned(
        lambda operation, inputs: (
            "Verdict: same"
            if operation == "check_same_answer"
            else f"Query: {TYPICAL[inputs['query']]}"
        )
    )
    (row,) = perturb([replace(cases[0], query=query)], replace(material, generators=[engine]))
    assert isinstance(row, Case), row
    assert row.query == TYPICAL[query]
