"""The chosen exchange is the one number of a reply."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.choice import parse


@pytest.mark.parametrize(
    ("reply", "number"), [('{"reason": "It is.", "number": 2}', 2), ("Number: 3", 3)]
)
def test_the_one_number_counts(reply: str, number: int) -> None:
    assert parse(reply) == number


@pytest.mark.parametrize("reply", ["", "Number: two", "Number: 0", "Number: 1\nNumber: 2"])
def test_rejects_other_replies(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
