"""Content terms of a text."""

from __future__ import annotations

from tasks.text.terms import content_terms


def test_stop_words_and_numbers_are_not_terms() -> None:
    assert content_terms("What was the total revenue of 2017, $1,234?") == ["total", "revenu"]
