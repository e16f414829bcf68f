"""Finding a passage again in a copy with errors."""

from __future__ import annotations

import random

import pytest

from tasks.text.counterpart import counterpart

WORDS = [
    "net",
    "sales",
    "rose",
    "because",
    "the",
    "company",
    "sold",
    "more",
    "hats",
    "than",
    "in",
    "any",
    "year",
    "since",
    "it",
    "was",
    "founded",
    "in",
    "Ohio",
]


def text_of(n_words: int) -> str:
    rng = random.Random(3)
    return " ".join(f"{rng.choice(WORDS)}{rng.randrange(50)}" for _ in range(n_words))


def scanned(text: str, share: float) -> str:
    """Return the text with a share of its characters lost or doubled."""
    rng = random.Random(4)
    return "".join(rng.choice(("", char * 2)) if rng.random() < share else char for char in text)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.07])
@pytest.mark.parametrize("start", [0, 9_000, 40_000])
def test_finds_a_passage_in_a_copy_with_errors(start: int, share: float) -> None:
    text = text_of(8_000)
    span = (start, start + 600)
    copy = scanned(text, share)
    found = counterpart(text, span, copy)
    assert found is not None
    # scanned alike, the text up to the span is as long as what stands before the span in the copy
    assert abs(found[0] - len(scanned(text[:start], share))) <= 20
    assert abs(found[1] - len(scanned(text[: span[1]], share))) <= 20


def test_finds_a_passage_at_its_own_place_in_the_same_text() -> None:
    text = text_of(500)
    assert counterpart(text, (100, 400), text) == (100, 400)


@pytest.mark.parametrize("copy", ["", "nothing of this kind at all", "the the the the"])
def test_returns_none_without_a_similar_passage(copy: str) -> None:
    assert counterpart(text_of(100), (10, 300), copy) is None
