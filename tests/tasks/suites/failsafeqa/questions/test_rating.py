"""The one rating of a reply counts."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rating import Rated, parse


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("Rating: [[5]]", 5),
        ('{"reason": "So.", "relevance": 5, "rating": 3}', 3),
    ],
)
def test_the_one_rating_counts(reply: str, rating: int) -> None:
    assert parse(reply).value == rating


@pytest.mark.parametrize(
    ("scores", "rating", "is_only_simple"),
    [
        ("1. Relevance: 5\n3. Complexity: 2, a date.\nRating: [[4]]", 2, True),
        ("**Complexity**: 3/5 - copied\nAccuracy: 5/5\nRating: [[5]]", 3, True),
        ("Complexity: 2.\nAccuracy: 1, the scale is wrong.\nRating: [[4]]", 1, False),
        ("Complexity: 4\nAccuracy: 5\nRating: [[4]]", 4, False),
        ("Complexity: 2 facts are put together.\nAccuracy: 5\nRating: [[5]]", 5, False),
    ],
)
def test_a_pair_is_as_good_as_its_lowest_criterion(
    scores: str, rating: int, is_only_simple: bool
) -> None:
    assert parse(scores) == Rated(rating, is_only_simple)


@pytest.mark.parametrize(
    "reply", ["", "Rating: six", "Rating: 0", "Rating: 6", "Rating: 2\nRating: 4", "[[4]]"]
)
def test_rejects_ratings_outside_1_to_5(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
