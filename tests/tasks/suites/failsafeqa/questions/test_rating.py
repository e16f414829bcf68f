"""The one rating of a reply counts."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rating import parse


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("Rating: [[5]]", 5),
        ('{"reason": "So.", "relevance": 5, "rating": 3}', 3),
        ('{"relevance": 5, "complexity": 2, "rating": 4}', 2),
    ],
)
def test_a_pair_is_as_good_as_its_lowest_criterion(reply: str, rating: int) -> None:
    assert parse(reply) == rating


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Rating: six",
        "Rating: 0",
        "Rating: 6",
        "Rating: 2\nRating: 4",
        '{"clarity": 9, "rating": 4}',
    ],
)
def test_rejects_ratings_outside_1_to_5(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
