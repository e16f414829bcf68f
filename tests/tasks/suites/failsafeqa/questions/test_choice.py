"""The chosen exchange is the one number of a reply."""

from __future__ import annotations

import pytest

from tasks.inference.operation import ParseError
from tasks.suites.failsafeqa.questions.choice import parse


@pytest.mark.parametrize(
    ("reply", "number"), [("[[2]]", 2), ("not [[1]]. Final choice: [[12]]", 12), ("[[ 3 ]].", 3)]
)
def test_the_one_number_counts(reply: str, number: int) -> None:
    assert parse(reply) == number


@pytest.mark.parametrize("reply", ["", "[[two]]", "[[0]]", "[[1]] or [[12]]"])
def test_rejects_other_replies(reply: str) -> None:
    with pytest.raises(ParseError):
        parse(reply)
