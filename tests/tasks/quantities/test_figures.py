"""Figures: value, unit and precision, and comparison at the coarser precision."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.quantities.figures import find_figures, same_figure


def read(text: str, scale: str | None = None) -> list[tuple[str, Decimal, str, int]]:
    return [(f.text, f.value, f.unit, f.decimals) for f in find_figures(text, scale)]


@pytest.mark.parametrize(
    ("text", "value", "unit", "decimals"),
    [
        ("$1,234", "1234", "money", 0),
        ("$1.2 billion", "1200000000", "money", -8),
        ("US$5B", "5000000000", "money", -9),
        ("$(55)", "-55", "money", 0),
        ("12.5%", "12.5", "percent", 1),
        ("twenty-five percent", "25", "percent", 0),
        ("diluted EPS of $1.23", "1.23", "per_share", 2),
        ("$.01 per share", "0.01", "per_share", 2),
        ("two and a half million units", "2500000", "count", -5),
        ("$623Million", "623000000", "money", -6),
        ("2.7x", "2.7", "count", 1),
        ("one hundred million dollars", "100000000", "money", -6),
        ("margins rose 4.7 points", "4.7", "percent", 1),
    ],
)
def test_figure_has_its_value_unit_and_precision(
    text: str, value: str, unit: str, decimals: int
) -> None:
    (figure,) = find_figures(text)
    assert (figure.value, figure.unit, figure.decimals) == (Decimal(value), unit, decimals)


@pytest.mark.parametrize(
    "text",
    [
        "Form 10-K",
        "call (650) 253-0000",
        "one of our risks",
        "the 1st quarter",
        "on December 31",
        "1. Business\n2) Risks",
    ],
)
def test_number_that_names_something_is_not_a_figure(text: str) -> None:
    assert find_figures(text) == []


@pytest.mark.parametrize(
    ("text", "figure", "value"),
    [
        ("Revenue increased $9.9 billion (17%).", "17%", "17"),
        ("a fine of €376 million ($401 million)", "$401 million", "401000000"),
        ("a change of $5 million (-4%)", "-4%", "-4"),
        ("sales declined by $1.2 million [(4%)]", "4%", "4"),
        # a minus
        ("from 2018 to 2017, (12%)", "(12%)", "-12"),
        ("(17%)", "(17%)", "-17"),
        ("decreased $1,051,000 (14)%", "(14)%", "-14"),
    ],
)
def test_brackets_around_a_unit_are_a_remark_behind_an_amount_or_a_change(
    text: str, figure: str, value: str
) -> None:
    last = find_figures(text)[-1]
    assert (last.text, last.value) == (figure, Decimal(value))


def test_scale_applies_only_to_amounts_and_counts() -> None:
    got = read("Revenue 2017 | $ 1,234 | 12.5 % | (1,100) | $ 2 billion", "thousands")
    assert [(value, unit) for _, value, unit, _ in got] == [
        (Decimal(2017), "year"),
        (Decimal(1234000), "money"),
        (Decimal("12.5"), "percent"),
        (Decimal(-1100000), "count"),
        (Decimal(2000000000), "money"),
    ]
    assert got[1][3] == -3


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        ("$1,234 million", "$1.2 billion", True),
        ("$5 million loss", "$(5,000,000)", True),
        ("0.5%", "50 basis points", True),
        ("12%", "12 employees", False),
        ("1,234", "$1,234", True),
        ("$1.23 per share", "$1.23", True),
    ],
)
def test_figures_are_the_same_at_the_coarser_precision(a: str, b: str, is_same: bool) -> None:
    (first,), (second,) = find_figures(a), find_figures(b)
    assert same_figure(first, second) is is_same
    assert same_figure(second, first) is is_same


@pytest.mark.parametrize(
    ("text", "figure", "currency", "measure"),
    [
        ("€ 5 million", "€ 5 million", "EUR", None),
        ("NOK 5 million", "NOK 5 million", "NOK", None),
        ("$0.10 per diluted common share", "$0.10", "USD", "share"),
        ("152.0 MBOE per day", "152.0 MBOE", None, "thousand barrels of oil equivalent per day"),
        ("1.5 million square feet", "1.5 million", None, "square foot"),
        ("12 x 4,000", "12", None, None),
    ],
)
def test_reads_currency_and_measure(
    text: str, figure: str, currency: str | None, measure: str | None
) -> None:
    first = find_figures(text)[0]
    assert (first.text, first.currency, first.measure) == (figure, currency, measure)


def test_very_long_number_is_not_a_figure() -> None:
    assert find_figures(f"${'1' * 1_000_001} and $5")[0].text == "$5"


@given(st.text(alphabet="0123456789.,$%()-– million|\nOyear", max_size=60))
def test_offsets_of_figures_are_exact(text: str) -> None:
    figures = find_figures(text)
    assert all(text[f.start_char : f.end_char] == f.text for f in figures)
    assert all(same_figure(f, f) for f in figures)


@given(st.integers(0, 10**12), st.sampled_from(["", " million", " billion"]))
def test_reads_an_amount_as_written(amount: int, scale: str) -> None:
    (figure,) = find_figures(f"${amount:,}{scale}")
    assert figure.value == amount * {"": 1, " million": 10**6, " billion": 10**9}[scale]
