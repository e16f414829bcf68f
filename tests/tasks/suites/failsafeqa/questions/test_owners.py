"""A figure of a subsidiary's table is no figure of the company."""

from __future__ import annotations

import pytest

from tasks.suites.failsafeqa.questions.owners import other_owner

ROWS = "| 2017 | 2016\nGross loans | $ 5,213 | $ 4,813\nReserve | 718 | 765"
ASKED = "What was Wexcombe Mills' reserve in 2017?"
ANSWER = "The reserve was $718 million in 2017."


def led_in(by: str) -> str:
    return f"Wexcombe Mills spins wool.\n\n{by} were as follows (in millions):\n\n{ROWS}"


@pytest.mark.parametrize(
    ("lead_in", "owner"),
    [
        ("Wexcombe Credit's loans (including those of its bank)", "Wexcombe Credit"),
        ("The Dunmeres' loans", "Dunmeres"),
        ("Data: summarized financial information for Tarn Bottling", "Tarn Bottling"),
        ("The consolidated financial data of Wexcombe Mills Company", None),
        ("The following is about Tarn Capital's assets. They", None),
        ("Wexcombe Mills' loans", None),
        ("Wexcombe's loans", None),
        ("The Company's loans", None),
        ("Total Shareholders' equity and loans", None),
        ("Loans", None),
    ],
)
def test_the_lead_in_of_a_table_says_whose_its_figures_are(lead_in: str, owner: str | None) -> None:
    assert other_owner(led_in(lead_in), ASKED, ANSWER, "Wexcombe Mills") == owner


def test_a_query_may_name_the_owner_and_a_figure_may_be_stated_elsewhere() -> None:
    text = led_in("Wexcombe Credit's loans")
    asked = "What was Wexcombe Credit's reserve in 2017?"
    assert other_owner(text, asked, ANSWER, "Wexcombe Mills") is None
    rounded = f"{text}\n\nAnother paid $0.7 billion."
    assert other_owner(rounded, ASKED, ANSWER, "Wexcombe Mills") == "Wexcombe Credit"
    said = f"{text}\n\nOur reserve was $718 million in 2017."
    assert other_owner(said, ASKED, ANSWER, "Wexcombe Mills") is None
    assert other_owner(text, ASKED, "It sold wool in 2017.", "Wexcombe Mills") is None
