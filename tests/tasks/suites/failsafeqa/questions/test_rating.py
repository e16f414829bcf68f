"""The last rating of a reply counts."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rating import parse


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("Rating: [[5]]", 5),
        ("[[2]] at first sight, but on reflection [[4]]", 4),
        ("Relevance 5, clarity [[ 3 ]]", 3),
    ],
)
def test_the_last_rating_counts(reply: str, rating: int) -> None:
    assert parse(reply) == rating


@pytest.mark.parametrize(
    "reply", ["", "Rating: 5", "[5]", "[[six]]", "[[0]]", "[[6]]", "[[5]] no, [[9]]"]
)
def test_rejects_ratings_outside_1_to_5(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
