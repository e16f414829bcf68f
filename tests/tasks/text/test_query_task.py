"""A query's task follows from how it begins."""

from __future__ import annotations

import pytest

from tasks.text.query_task import task_of


@pytest.mark.parametrize(
    "query",
    [
        "Write a short note on liquidity.",
        "Please summarize the segment results for 2018.",
        "Can you draft an email about the dividend increase?",
        "Create an HTML table for special gains and charges in 2017.",
        "Give me a brief summary of the debt covenants.",
        "I need an overview of the pension plan.",
        "List the company's properties.",
    ],
)
def test_request_for_a_text_is_text_generation(query: str) -> None:
    assert task_of(query) == "tg"


@pytest.mark.parametrize(
    "query",
    [
        "What was total revenue in 2017?",
        "What products does the company make?",
        "Explain why gross margin fell in 1998.",
        "How does the company generate cash?",
        "Calculate the debt ratio at year-end.",
        "Give the effective tax rate for 2018.",
        "",
    ],
)
def test_question_for_a_fact_is_question_answering(query: str) -> None:
    assert task_of(query) == "qa"
