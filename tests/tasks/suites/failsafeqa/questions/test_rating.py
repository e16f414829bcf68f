"""The one rating of a reply counts."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.rating import parse


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("Rating: [[5]]", 5),
        ("[[2]] at first sight. Final rating: [[4]]", 4),
        ("Relevance 5, clarity 2: [[ 3 ]]", 3),
    ],
)
def test_the_one_rating_counts(reply: str, rating: int) -> None:
    assert parse(reply) == rating


@pytest.mark.parametrize(
    "reply", ["", "[[six]]", "[[0]]", "[[6]]", "[[5]] no, [[9]]", "[[2]], but on reflection [[4]]"]
)
def test_rejects_ratings_outside_1_to_5(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
