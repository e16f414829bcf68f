"""Figures are found with value, unit and precision, and compared at the coarser precision."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.text.figures import find_figures, same_figure


def read(text: str, scale: str | None = None) -> list[tuple[str, Decimal, str, int]]:
    return [(f.text, f.value, f.unit, f.decimals) for f in find_figures(text, scale)]


@pytest.mark.parametrize(
    ("text", "value", "unit", "decimals"),
    [
        ("$1,234", "1234", "money", 0),
        ("$1,234 million", "1234000000", "money", -6),
        ("$1.2 billion", "1200000000", "money", -8),
        ("US$5B", "5000000000", "money", -9),
        ("$(55)", "-55", "money", 0),
        ("$ (66)", "-66", "money", 0),
        ("-$1,234 thousand", "-1234000", "money", -3),
        ("12 dollars", "12", "money", 0),
        ("12.5%", "12.5", "percent", 1),
        ("(3.2)%", "-3.2", "percent", 1),
        ("4.5 per cent", "4.5", "percent", 1),
        ("twenty-five percent", "25", "percent", 0),
        ("50 basis points", "50", "bps", 0),
        ("diluted EPS of $1.23", "1.23", "per_share", 2),
        ("$.01 per share", "0.01", "per_share", 2),
        ("$0.10 per diluted common share", "0.10", "per_share", 2),
        ("25,000 employees", "25000", "count", 0),
        ("five million units", "5000000", "count", -6),
        ("three segments", "3", "count", 0),
        ("in 2017", "2017", "year", 0),
    ],
)
def test_a_figure_has_its_value_unit_and_precision(text: str, value: str, unit: str, decimals: int) -> None:
    (figure,) = find_figures(text)
    assert (figure.value, figure.unit, figure.decimals) == (Decimal(value), unit, decimals)


@pytest.mark.parametrize(
    "text",
    [
        "Note 5",
        "see Item 7",
        "Form 10-K",
        "Rule 12b-2",
        "Section 13(d)",
        "page 45",
        "ASC 606",
        "Exhibit 31",
        "call (650) 253-0000",
        "file number 001-37580",
        "one of our risks",
        "the 1st quarter",
        "on December 31",
        "31 December",
        "1. Business\n2) Risks",
    ],
)
def test_a_number_that_names_something_is_no_figure(text: str) -> None:
    assert find_figures(text) == []


def test_a_date_gives_its_year_only() -> None:
    assert [f.text for f in find_figures("between December 31, 2017 and 12/31/2018")] == ["2017"]


def test_the_ends_of_a_range_are_not_negative() -> None:
    assert [f.value for f in find_figures("from 10-15% and $10-$15")] == [10, 15, 10, 15]


def test_a_tables_scale_holds_for_amounts_and_counts_only() -> None:
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
        ("$1,234 million", "$1.3 billion", False),
        ("$1,234,567", "$1.235 million", True),
        ("$5 million loss", "$(5,000,000)", True),
        ("0.5%", "50 basis points", True),
        ("12%", "12 employees", False),
        ("1,234", "$1,234", True),
        ("2017", "$2,017", False),
        ("2016", "2017", False),
        ("$1.23 per share", "$1.23", True),
        ("12.5%", "13%", True),
        ("12.5%", "12.6%", False),
    ],
)
def test_figures_are_the_same_at_the_coarser_precision(a: str, b: str, is_same: bool) -> None:
    (first,), (second,) = find_figures(a), find_figures(b)
    assert same_figure(first, second) is is_same
    assert same_figure(second, first) is is_same


@given(st.text(alphabet="0123456789.,$%()-– million|\nOyear", max_size=60))
def test_every_figure_is_where_it_says(text: str) -> None:
    figures = find_figures(text)
    assert all(text[f.start_char : f.end_char] == f.text for f in figures)
    assert all(same_figure(f, f) for f in figures)


@given(st.integers(0, 10**12), st.sampled_from(["", " million", " billion"]))
def test_an_amount_is_read_as_written(amount: int, scale: str) -> None:
    (figure,) = find_figures(f"${amount:,}{scale}")
    assert figure.value == amount * {"": 1, " million": 10**6, " billion": 10**9}[scale]
