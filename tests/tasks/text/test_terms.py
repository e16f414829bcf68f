"""Content terms of a text."""

from __future__ import annotations

import pytest

from tasks.text.terms import content_terms, stem


@pytest.mark.parametrize(
    "family",
    [
        ["revenue", "revenues", "Revenue's"],
        ["operate", "operates", "operating", "operation", "operations"],
        ["employee", "employees"],
        ["loss", "losses"],
    ],
)
def test_forms_of_a_word_share_a_stem(family: list[str]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    ("a", "b"), [("business", "busy"), ("interest", "internal"), ("net", "nets a")]
)
def test_different_words_keep_different_stems(a: str, b: str) -> None:
    assert stem(a) != stem(b)


def test_stop_words_and_numbers_are_not_terms() -> None:
    assert content_terms("What was the total revenue of 2017, $1,234?") == ["total", "revenu"]
