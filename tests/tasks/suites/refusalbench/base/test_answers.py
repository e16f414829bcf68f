"""A reply is right if it is the answer and nothing else; where a rule cannot know, it says so."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.base.answers import is_right

PROFIT = "What was Brackwater's gross profit in 2018?", "$153.1 million"
FALL = "By what percentage did Acme's sales decrease for the year ended June 30, 2017?", "5.3%"
DAY = "When was Mr. Daft appointed President?", "November 18, 1993"
STATE = "Under the laws of which state was Acme incorporated?", "Delaware"


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        (PROFIT, "$153,100 thousand", True),
        (PROFIT, "153.1 (in millions)", True),
        (PROFIT, "Brackwater's gross profit in 2018 was $153.1 million.", None),
        (PROFIT, "Costco's gross profit in 2018 was $153.1 million.", None),
        (PROFIT, "Gross profit in 2018 was $153.1 million, up from $140.0 million.", None),
        (PROFIT, "In 2018 gross profit was not $153.1 million.", None),
        (PROFIT, "Gross profit in 2018 was $135.1 million.", False),
        (PROFIT, "The text does not provide it.", False),
        (PROFIT, "2018", False),
        (FALL, "-5.3%", True),
        (FALL, "Sales increased by 5.3%", False),
        (FALL, "It fell 30%", False),
        (DAY, "november 18 1993.", True),
        (DAY, "18 November 1993", None),
        (STATE, "Delaware.", True),
        (STATE, "Not Delaware", None),
    ],
)
def test_a_reply_is_read_as_any_reader_reads_it(
    question: tuple[str, str], reply: str, expected: bool | None
) -> None:
    query, answer = question
    assert is_right(reply, [answer], query) is expected
    # one right answer of several is enough, and a wrong one does not help
    assert is_right(reply, [answer, "$77.7 billion"], query) is expected
