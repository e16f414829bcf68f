"""Columns are named by their period, by words, or not at all."""

from __future__ import annotations

import pytest

from tasks.baseline.tablequest.periods import columns_of, period_of


@pytest.mark.parametrize(
    ("head", "when"),
    [
        ("2023", "in 2023"),
        ("Year Ended December 31, 2023", "in 2023"),
        ("Years Ended December 31 1993", "in 1993"),
        ("Fiscal 2009", "in fiscal 2009"),
        ("As of December 31, 2017", "as of December 31, 2017"),
        ("Dec 30, 2023", "as of December 30, 2023"),
        ("YEAR ENDED SEPTEMBER 25, 1999", "in the year ended September 25, 1999"),
        ("Twelve Months Ended December 31, 2016", "in 2016"),
        ("(in millions) 2016 (1)", "in 2016"),
    ],
)
def test_reads_one_year_or_one_date(head: str, when: str) -> None:
    period = period_of(head)
    assert period is not None
    assert period.when == when


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Level 1",
        "Three Months Ended December 31, 2023",
        "6 months ended June 30, 2023",
        "2017 vs. 2016",
        "2017 % of sales",
        "First quarter 2023",
        "Change 2023",
    ],
)
def test_a_head_that_says_more_or_less_is_no_period(head: str) -> None:
    assert period_of(head) is None


def _columns(*heads: list[str]) -> list[str]:
    return [period.when for period in columns_of(heads).values()]


def test_a_head_over_several_columns_stands_before_theirs() -> None:
    heads = ["", "Total", "Total", "Other", "Other"], ["", "Cost", "Gains", "Cost", "Gains"]
    assert _columns(*heads) == [
        "in the column “Total, Cost”",
        "in the column “Total, Gains”",
        "in the column “Other, Cost”",
        "in the column “Other, Gains”",
    ]


def test_a_head_cut_into_two_rows_is_one_name() -> None:
    heads = ["", "Carrying", "Fair"], ["", "Amount", "Value"]
    assert _columns(*heads) == ["in the column “Carrying Amount”", "in the column “Fair Value”"]


def test_years_end_on_the_days_that_the_label_column_says() -> None:
    heads = ["Years Ended", "Dec 30, 2023", "Dec 31, 2022"]
    assert _columns(heads) == [
        "in the year ended December 30, 2023",
        "in the year ended December 31, 2022",
    ]


def test_columns_are_named_alike() -> None:
    """A head of old filings may stand over one of its columns only."""
    heads = ["", "", "Year ended June 30,", ""], ["", "1995", "1994", "1993"]
    assert _columns(*heads) == ["in 1995", "in 1994", "in 1993"]


@pytest.mark.parametrize("head", ["Note", "Page", "Change", "% of sales", "Assets1", "Weighted-"])
def test_columns_of_notes_pages_and_cut_heads_have_no_name(head: str) -> None:
    assert _columns(["", head, "Fair value"]) == ["in the column “Fair value”"]
