"""Amounts of reference answers whose scale the context does not show."""

from __future__ import annotations

import pytest

from tasks.suites.failsafeqa.questions.amounts import amount_of_unknown_scale

ROWS = "| 2003 | 2002\nPower revenue | $3,751 | $3,100\nWind revenue | $812 | $777"
KNOWN = f"Orders (in millions)\n\n{ROWS}"
UNKNOWN = f"Orders rose by $5 million.\n\n{ROWS}"


@pytest.mark.parametrize(
    ("context", "answer", "amount"),
    [
        (KNOWN, "Power revenue was $3,751.", "$3,751"),
        (KNOWN, "Power revenue was $3,751 billion.", "$3,751 billion"),
        (UNKNOWN, "Power revenue was $3,751 million.", "$3,751 million"),
        (UNKNOWN, "Power revenue was $3.8 billion.", "$3.8 billion"),
        (UNKNOWN, "It grew by $651 million.", "$651 million"),
        (f"{KNOWN}\n\nRent was $0.004 million.", "Power revenue was $3,751.", "$3,751"),
        (UNKNOWN, "The total was $4,563 million.", "$4,563 million"),
        # notes in the tables' scale: one amount is a cell's, so the others are no dollars either
        (f"{KNOWN}\n\nPower revenue of $3,751 was ours.", "It was $3,751.", "$3,751"),
        (f"{KNOWN}\n\nIt was $3,751, and rent $95.", "Rent was $95.", "$95"),
        # the same number beside another label, and a cell in brackets
        (f"{KNOWN}\n\nA bolt costs $812.", "Wind revenue was $812 in 2003.", "$812"),
        (KNOWN, "Power revenue was 3,751 in 2003.", "3,751"),
        (f"{KNOWN}\nDividends | (58) | (61)\n\nA nut costs $58.", "Dividends were $58.", "$58"),
        (
            f"{KNOWN}\nIncome (loss) | $58 | $61\n\nA nut costs $58.",
            "Income (loss) was $58.",
            "$58",
        ),
    ],
)
def test_rejects_amounts_of_another_or_unknown_scale(
    context: str, answer: str, amount: str
) -> None:
    assert amount_of_unknown_scale(context, answer) == amount


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (KNOWN, "Power revenue was $3,751 million, or $3.8 billion."),
        (KNOWN, "It grew by $651 million to a total of $4,563 million."),
        (f"{KNOWN}\n\nA mill cost $3,752, rent $95.", "Rent was $95."),
        (UNKNOWN, "Orders rose by $5 million in 2003."),
        (f"{KNOWN}\n\nA bolt costs $812.", "A bolt costs $812."),
        (f"{KNOWN}\n | $95 | $31\n\nA mill costs $95.", "A mill costs $95."),
        (f"{KNOWN}\nWind parks | 12 | 11", "Wind parks were 12 and 11."),
        (KNOWN.replace("in millions", "in dollars"), "Wind revenue was $812 in 2003."),
        (f"{UNKNOWN}\n\nCosts (in thousands)\n\n| 2003 | 2002\nPay | $91 | $80\nRent | $7 | $6",
         "Pay rose by $11 thousand."),
        (f"{UNKNOWN}\n\nWe paid $3 million.", "They are $5 million and $3 million: $8 million."),
    ],
)  # fmt: skip
def test_accepts_amounts_that_the_context_shows(context: str, answer: str) -> None:
    assert amount_of_unknown_scale(context, answer) is None
