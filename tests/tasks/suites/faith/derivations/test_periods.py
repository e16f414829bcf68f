"""The year that a figure of a sentence is of, and the year that a change compares with."""

from __future__ import annotations

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.faith.derivations.periods import When, period_of
from tasks.suites.faith.derivations.roles import Role
from tasks.text.sentences import Span

MASK = "[MASK]"


def period(sentence: str, role: Role = "level", around: str = "") -> When:
    at = Span(sentence.index(MASK), sentence.index(MASK) + len(MASK))
    others = [
        Span(figure.start_char, figure.end_char)
        for figure in find_figures(sentence)
        if figure.unit != "year"
    ]
    return period_of(sentence, at, others, role, around)


@pytest.mark.parametrize(
    ("sentence", "year"),
    [
        ("Sales were [MASK] in 2022 and $4 million in 2021.", 2022),
        ("Sales were $5 million in 2022 and [MASK] in 2021.", 2021),
        # a list of years for a list of figures
        ("Sales were $5 million, [MASK] and $3 million in 2022, 2021 and 2020.", 2021),
        # only one of two compared years is named
        ("Sales were [MASK], compared with $5 million for 2022.", 2023),
        ("In 2022, sales fell to $4 million from [MASK].", 2021),
        # the share is of the same year
        (
            "Tax was $2, or 1% of loss, in 2022 compared to tax of [MASK], or 9% of pretax loss, "
            "for the same period in 2021.",
            2021,
        ),
    ],
)
def test_finds_the_year_of_a_level(sentence: str, year: int) -> None:
    when = period(sentence)
    assert max(when.fits, key=lambda one: when.fits[one]) == year


@pytest.mark.parametrize(
    ("sentence", "year", "base"),
    [
        ("Sales increased [MASK] in 2022 compared with 2021.", 2022, 2021),
        ("Sales increased [MASK] from 2021.", 2022, 2021),
        ("Cash was $3 million, a rise of [MASK] over the balance at the end of 2021.", 2022, 2021),
        # each change has a base of its own
        ("In 2023, sales rose 9% from 2022, and in 2022 rose [MASK] from 2021.", 2022, 2021),
    ],
)
def test_finds_the_year_and_the_base_of_a_change(sentence: str, year: int, base: int) -> None:
    when = period(sentence, "change")
    assert when.base == base
    assert max(when.fits, key=lambda one: when.fits[one]) == year


def test_neighbours_name_the_year_that_a_sentence_does_not() -> None:
    around = "In 2022 we opened a mill, as in 2021."
    assert period("Sales were [MASK].", around=around).fits == {2022: 0.9}
    prior = period("This compares with sales of $5 million, from [MASK].", around=around)
    assert prior.fits == {2021: 0.9}


def test_a_metrics_from_compares_with_nothing() -> None:
    around = "In 2022 we opened a mill."
    assert period("Income from operations was [MASK].", around=around).fits == {2022: 0.9}
    assert period("Income rose to $5 from [MASK].", around=around).fits == {2021: 0.9}
