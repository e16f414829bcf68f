"""A reply is right if it states the answer and no more; where a rule cannot know, it says so."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.base.answers import is_right

PROFIT = "What was Brackwater's gross profit in 2018?", "$153.1 million"
FALL = "By what percentage did Acme's sales decrease for the year ended June 30, 2017?", "5.3%"
PLANS = "How many plans did Acme have at January 1, 2017?", "2"
DAY = "When was Mr. Daft appointed President?", "November 18, 1993"
MONTH = "When was Mr. Daft appointed President?", "November 1984"
STATE = "Under the laws of which state was Acme incorporated?", "Delaware"


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        (PROFIT, "Brackwater's gross profit in 2018 was $153.1 million.", True),
        (PROFIT, "In 2018, gross profit was **$153,100 thousand**.", True),
        (PROFIT, "$153.1 million dollars (Table 1, row 3)", True),
        (PROFIT, "Costco's gross profit in 2018 was $153.1 million.", None),
        (PROFIT, "Gross loss was $153.1 million.", None),
        (PROFIT, "Unclear, maybe $153.1 million.", None),
        (PROFIT, "It might be $153.1 million.", None),
        (PROFIT, "Gross profit was up $153.1 million.", None),
        (PROFIT, "$153.1 million in 2017", None),
        (PROFIT, "Costco's gross profit in 2018 was $135.1 million.", False),
        (PROFIT, "Gross profit in 2018 (in millions) was 153.1.", True),
        (PROFIT, "Gross profit in 2018 was $135.1 million.", False),
        (PROFIT, "The text does not provide it.", False),
        (PROFIT, "It was between $150 million and $160 million.", False),
        (PROFIT, "2018", False),
        (PROFIT, "Gross profit in 2018 was $153.1 million, up from $140.0 million.", None),
        (PROFIT, "Gross profit in 2017 was $153.1 million.", None),
        (PROFIT, "In 2018 gross profit was not $153.1 million.", None),
        (FALL, "Sales decreased by 5.3 percent for the year ended June 30, 2017.", True),
        (FALL, "-5.3%", True),
        (FALL, "Costs decreased by 5.3 percent.", None),
        (FALL, "Sales increased by 5.3%", False),
        (FALL, "It fell 30%", False),
        (PLANS, "Acme had two plans at January 1, 2017.", True),
        (PLANS, "Acme had 3 plans at January 1, 2017.", False),
        (DAY, "18 November 1993", True),
        (DAY, "Mr. Daft was appointed President on Nov. 18th, 1993.", True),
        (DAY, "November 1993", False),
        (DAY, "December 18, 1993", False),
        (DAY, "11/18/1993", None),
        (MONTH, "In November of 1984.", True),
        (MONTH, "November 18, 1984", None),
        (STATE, "Acme was incorporated under the laws of the State of Delaware.", True),
        (STATE, "The answer is Delaware.", True),
        (STATE, "Delaware, not Nevada", None),
        (STATE, "Not Delaware", None),
        (STATE, "DE", None),
    ],
)
def test_a_reply_is_read_as_any_reader_reads_it(
    question: tuple[str, str], reply: str, expected: bool | None
) -> None:
    query, answer = question
    assert is_right(reply, [answer], query) is expected
    # one right answer of several is enough, and a wrong one does not help
    assert is_right(reply, [answer, "$77.7 billion"], query) is expected


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("€153.1 million", "$153.1 million"), ("-12%", "12%"), ("12", "12%"), ("-$5", "$5")],
)
def test_another_sign_currency_or_unit_is_not_right(reply: str, answer: str) -> None:
    assert is_right(reply, [answer]) is not True
