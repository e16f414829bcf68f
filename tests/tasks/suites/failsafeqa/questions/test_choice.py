"""The chosen exchange is the last number in double brackets."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.choice import parse


@pytest.mark.parametrize(
    ("reply", "number"), [("[[2]]", 2), ("not [[1]] but [[12]]", 12), ("[[ 3 ]].", 3)]
)
def test_the_last_number_counts(reply: str, number: int) -> None:
    assert parse(reply) == number


@pytest.mark.parametrize("reply", ["", "2", "[2]", "[[two]]", "[[0]]"])
def test_rejects_other_replies(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
