"""Amounts and years survive a rewriting; digits in names need not."""

from __future__ import annotations

import pytest

from tasks.suites.failsafeqa.perturbations.figures_kept import lost_figures

KEPT = [
    ("How much went into the 401(k) plan in 2017?", "Retirement savings paid in 2017?"),
    ("When did it file under Chapter 11?", "When did it seek help from a bankruptcy court?"),
    ("What did SFAS 133 change in 2001?", "What did the new accounting rule change in 2001?"),
    ("What were net sales in Q4 2018?", "How much was sold in the last quarter of 2018?"),
    ("What were net sales in Q4 2018?", "How much was sold in the last three months of 2018?"),
    ("Who bought the ten-year notes?", "Who bought the 10-year loans?"),
    ("Who bought the ten-year notes?", "Who bought the loans that run for a decade?"),
    ("What did ASU 2016-02 change?", "What did the new rule on rents change?"),
    ("What did Year 2000 efforts cost?", "What did it cost to get dates right?"),
    ("What is net income in 2023?", "What was earned in fiscal 2023?"),
    ("What is net income in fiscal 2023?", "profit FY2023"),
    ("What is net income in fiscal 2023?", "profit FY23"),
    ("What were net sales in 1996?", "how much was sold in 96"),
    ("What were net sales in 2007?", "sales in 07?"),
    ("What was the $3.2 billion for?", "What were the 3,200 million dollars for?"),
    ("Why did the rate rise 50 basis points?", "Why did interest go up by 0.5 percent?"),
    ("How many Boeing 737 jets fly?", "How many of the small jets fly?"),
    ("What does the 10-K say about backlog?", "What does the yearly report say about orders?"),
    ("What was $1,200 for?", "$1200 purpose"),
    ("What was paid on April 17, 1998?", "What was paid in spring 1998?"),
]
CHANGED = [
    ("What was net income in 2017?", "What was earned in the end?", "2017"),
    ("What was net income in 2017?", "What was earned in 2018?", "2017"),
    ("What were net sales in 1996?", "how much was sold in 97", "1996"),
    ("What were net sales in 1996?", "how much was sold in 96 stores", "1996"),
    ("What was the $3.2 billion for?", "What was the $3.3 billion for?", "$3.2 billion"),
    ("Where did the $3,249 million go?", "Where did $3.2 billion go?", "$3,249 million"),
    ("Why did 412 employees leave?", "Why did so many workers leave?", "412"),
    ("Who bought the ten-year notes?", "Who bought the long loans?", "ten"),
    ("In 2016, what fell by 5 %?", "In 2016, what fell?", "5 %"),
]


@pytest.mark.parametrize(("query", "rewritten"), KEPT)
def test_names_may_go_and_amounts_may_be_written_otherwise(query, rewritten):
    assert lost_figures(query, rewritten) == []
    assert lost_figures(rewritten, query) == []


@pytest.mark.parametrize(("query", "rewritten", "lost"), CHANGED)
def test_a_lost_or_rounded_amount_or_year_is_found(query, rewritten, lost):
    assert [figure.text for figure in lost_figures(query, rewritten)] == [lost]
