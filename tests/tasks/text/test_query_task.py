"""A query's task follows from how it begins."""

from __future__ import annotations

import pytest

from tasks.text.query_task import task_of


@pytest.mark.parametrize(
    "query",
    [
        "Write a short note on liquidity.",
        "Can you draft an email about the dividend increase?",
        "Give me a brief summary of the debt covenants.",
        "List the company's properties.",
    ],
)
def test_request_for_a_text_is_text_generation(query: str) -> None:
    assert task_of(query) == "tg"
