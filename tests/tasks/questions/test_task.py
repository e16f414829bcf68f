"""A query's task follows from how it begins."""

from __future__ import annotations

import pytest

from tasks.questions.task import task_of


@pytest.mark.parametrize(
    "query",
    [
        "Write a short note on liquidity.",
        "Summarize the risk factors.",
        "summarise this",
        "Draft an email to the team about dividends",
        "List the key points on competition.",
        "Create an HTML table of net sales by year.",
        "make a bullet list of the risks",
        "please write a LinkedIn post",
        "Give me a two sentence summary of Item 1",
        "turn these into one paragraph",
        "Generate a press release on the results",
    ],
)
def test_requests_for_a_text(query: str) -> None:
    assert task_of(query) == "tg"


@pytest.mark.parametrize(
    "query",
    [
        "What were net sales in 2017?",
        "Who writes the notes to the statements?",
        "How did the company create value?",
        "net sales 2017",
        "Is the list of subsidiaries complete?",
        "make or buy, which did we choose",
        "Does the company produce tables?",
    ],
)
def test_questions(query: str) -> None:
    assert task_of(query) == "qa"
