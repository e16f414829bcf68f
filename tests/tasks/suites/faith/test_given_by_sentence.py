"""A figure that two others of its sentence give needs no table."""

from __future__ import annotations

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.faith.given_by_sentence import is_given_by_others

CASH = "Cash increased $798 million or 27% to $3.8 billion."
SALES = "Sales were $19,242 million in 2015, compared with $20,602 million, a decrease of 6.6%."
PARTS = "Sales fell 2.8%, operational decrease of 2.3% and currency impact of 0.5%."


@pytest.mark.parametrize(
    ("sentence", "figure", "is_given"),
    [
        (CASH, "27%", True),
        (CASH, "$798 million", False),  # not as precisely as it is printed
        ("Cash increased 27% to $3.8 billion.", "27%", False),
        (SALES, "6.6%", True),
        (SALES, "$20,602 million", True),
        ("Cost rose $30 million to $120 million from $90 million.", "$30 million", True),
        (PARTS, "2.8%", True),
        ("Sales in Asia rose 2.8%, in Europe 2.3% and in Africa 0.5%.", "2.8%", False),
        ("Sales increased $0 million or 0% to $0 million.", "0%", False),
        ("We had $3.226 billion in cash, an increase of $926 million or 40%.", "40%", True),
        ("The rig count also rose 69% in 2017 to 1,081 rigs from 640 rigs.", "69%", True),
        ("Sales of $200 million were 40% of our total of $500 million.", "40%", False),
        ("Sales rose 5% to $205 million; profit was $10 million.", "5%", False),  # by accident
    ],
)
def test_a_figure_is_given_if_the_others_as_printed_give_it(
    sentence: str, figure: str, is_given: bool
) -> None:
    masked = next(each for each in find_figures(sentence) if each.text == figure)
    assert is_given_by_others(sentence, masked) is is_given
