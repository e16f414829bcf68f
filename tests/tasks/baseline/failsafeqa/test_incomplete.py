"""The rule that turns queries into a hasty person's."""

from __future__ import annotations

import re

import pytest

from tasks.baseline.failsafeqa.incomplete import hasty, reply
from tasks.suites.failsafeqa.perturbations.rewriting import (
    QueryToRewrite,
    fault_of,
    read_rewriting,
)
from tests.some import some


@pytest.mark.parametrize(
    ("query", "company", "short"),
    [
        ("What was Norfolk Southern's net income in 2008?", "NORFOLK SOUTHERN CORP", "net income?"),
        (
            "At Alphabet, what were Google advertising revenues in 2017?",
            "Alphabet Inc.",
            "Google advertising revenues?",
        ),
        (
            "How many people did Textron employ at December 29, 2001?",
            "TEXTRON INC.",
            "number of people employed?",
        ),
        (
            "What percentage of Medicis' net revenues did creams account for in fiscal 1999?",
            "MEDICIS PHARMACEUTICAL CORP",
            "creams as percentage of net revenues?",
        ),
        (
            "Why was gross margin higher in 2018 than in 2017?",
            "Textron Inc.",
            "why gross margin higher?",
        ),
        (
            "How did Ford Motor's net sales change from 1992 to 1993?",
            "FORD MOTOR CO",
            "net sales change?",
        ),
        (
            "What were Textron's net earnings attributable to Textron in 2001?",
            "TEXTRON INC.",
            "net earnings attributable to company?",
        ),
        (
            "How many part-time employees did Textron employ in 2001?",
            "TEXTRON INC.",
            "number of part-time employees?",
        ),
        (
            "At Textron, how many plants does Cessna operate, according to the annual report for "
            "the fiscal year ended December 29, 2001?",
            "TEXTRON INC.",
            "number of plants, Cessna?",
        ),
        (
            "List as bullet points how Textron's goodwill and backlog changed from 2000 to 2001.",
            "TEXTRON INC.",
            "bullet points how goodwill and backlog changed",
        ),
        ("What did the Company announce in June 2009?", "APPLE INC", "what did they announce?"),
        (
            "Write a short note on dividends of Wells Fargo & Company for 2024.",
            "WELLS FARGO & COMPANY/MN",
            "short note on dividends",
        ),
        (
            "What did the Department of Health of the State of Iowa adopt in May 1990?",
            "FORD MOTOR CO",
            "what did the Department of Health of the State of Iowa adopt?",
        ),
    ],
)
def test_drops_company_period_and_frame_and_keeps_the_words_in_order(query, company, short):
    assert hasty(query, company) == short


@pytest.mark.parametrize(
    ("query", "company", "short"),
    [
        ("What was Intel's net income in 2023?", "INTEL CORP", "net income in 2023?"),
        ("What was total revenue in 2023?", "INTEL CORP", "revenue in 2023?"),
        ("What was net income in 2023?", "INTEL CORP", "net income in 2023?"),
    ],
)
def test_keeps_the_period_if_its_first_reply_had_other_answers(query, company, short):
    first = QueryToRewrite(query=query, company=company)
    again = QueryToRewrite(query=query, company=company, earlier="several answers")
    assert read_rewriting(reply(again)) == short
    assert not re.search("2023", reply(first))


@pytest.mark.parametrize(
    ("query", "company"),
    [
        ("What did FedEx Office open in 2022?", "FEDEX CORP"),
        ("What did FedEx and Microsoft announce in 2022?", "FEDEX CORP"),
        ("What did First Street Capital sell in 2022?", "First Bancorp"),
    ],
)
def test_keeps_names_of_others(query, company):
    name = query.split(" ", 2)[2].split(" in ")[0]
    assert hasty(query, company) == f"what did {name}?"


def test_every_query_becomes_shorter_and_keeps_its_amounts(queries):
    for query, company in some(queries):
        short = hasty(query, company)
        assert fault_of(query, short, len(query), may_lose_years=True) is None, (query, short)
        assert company.rstrip(".") not in short
