"""The rule that rates pairs fails ambiguous, unfounded and dependent ones."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.rating import reply
from tasks.suites.failsafeqa.questions.rating import LOWEST_ACCEPTED, Inputs, parse


def rated(document: str, query: str, answer: str) -> int:
    return parse(
        reply(Inputs(company="Wexcombe Mills", context=document, query=query, answer=answer))
    ).value


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("gross profit in 2016", "Gross profit was $1,060 thousand in 2016."),
        ("What was Wexcombe Mills' gross profit in 2016?",
         "Gross profit was $1,060 thousand in 2016."),
        ("how many full-time employees did Wexcombe Mills have as of December 31, 2017",
         "As of December 31, 2017, Wexcombe Mills had 310 full-time employees."),
        ("how did gross profit change from 2016 to 2017",
         "Gross profit went from $1,060 thousand in 2016 to $1,090 thousand in 2017."),
    ],
)  # fmt: skip
def test_accepts_clear_and_correct_pairs(document: str, query: str, answer: str) -> None:
    assert rated(document, query, answer) >= LOWEST_ACCEPTED


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("gross profit in 2016", "Gross profit was $1,061 thousand in 2016."),
        ("gross profit in 2016", "Gross profit was $1,060 million in 2016."),
        ("and 2016?", "Gross profit was $1,060 thousand in 2016."),
        ("why did that happen", "Net sales increased due to higher prices of dyed wool."),
        ("what is the moon made of", "Of green cheese."),
        ("gross profit in 2016", "Gross profit was $1,090 thousand in 2017."),
        ("write a short note on competition", "Many compete."),
        ("where are the dye works of Wexcombe Mills", "The dye works are in Tarnford, Ontario."),
    ],
)
def test_fails_unfounded_unclear_or_thin_pairs(document: str, query: str, answer: str) -> None:
    assert rated(document, query, answer) < LOWEST_ACCEPTED


@pytest.mark.parametrize(("share", "is_accepted"), [("23%", True), ("24%", False)])
def test_fails_a_note_with_a_figure_that_the_document_lacks(
    document: str, share: str, is_accepted: bool
) -> None:
    note = (
        "Net sales increased due to higher prices of dyed wool. "
        f"Customers in Canada accounted for {share} of net sales in 2017. "
        "Wexcombe Mills acquired the dye works of Tarn Colour."
    )
    rating = rated(document, "write a short note on net sales", note)
    assert (rating >= LOWEST_ACCEPTED) is is_accepted


def test_a_label_with_two_values_for_one_year_is_ambiguous(document: str) -> None:
    other = (
        "\n\nThe parent alone, in thousands:\n\n| 2017 | 2016\n"
        "Gross profit | 900 | 880\nNet sales | 2,000 | 1,900"
    )
    query, answer = "gross profit in 2016", "Gross profit was $1,060 thousand in 2016."
    assert rated(document, query, answer) >= LOWEST_ACCEPTED
    assert rated(document + other, query, answer) < LOWEST_ACCEPTED
