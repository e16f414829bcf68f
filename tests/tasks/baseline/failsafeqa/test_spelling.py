"""Split, joined and mistyped words are corrected to the document's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.baseline.failsafeqa.spelling import respelled
from tasks.text.retrieval import Index

INDEX = Index("Net revenue from customers grew. Operating expenses of the segment fell in Ontario.")


@pytest.mark.parametrize(
    ("query", "read_as"),
    [
        ("net reve nue", "net revenue"),
        ("what we re net revenues be fore", "what were net revenues before"),
        ("ofrevenue", "of revenue"),
        ("net revenue in 2017?", "net revenue in 2017?"),
        ("operating expences", "operating expens"),
        ("the zeppelin", "the zeppelin"),
    ],
)
def test_corrects_words_to_the_documents(query: str, read_as: str) -> None:
    assert respelled(query, INDEX, frozenset()) == read_as


def test_known_words_are_left_alone() -> None:
    assert respelled("segmant", INDEX, frozenset({"segmant"})) == "segmant"
    assert respelled("segmant", INDEX, frozenset()) == "segment"


@given(st.text(max_size=60))
def test_figures_and_marks_are_never_touched(query: str) -> None:
    def others(text: str) -> str:
        return "".join(letter for letter in text if not letter.isalpha() and letter not in " '’")

    assert others(respelled(query, INDEX, frozenset())) == others(query)
