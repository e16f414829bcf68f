"""Columns are named by their period, by words, or not at all."""

from __future__ import annotations

import pytest

from tasks.baseline.tablequest.periods import columns_of


def _columns(*heads: str, ended: bool = False) -> list[str]:
    return [each.when for each in columns_of(dict(enumerate(heads, start=1)), ended=ended).values()]


@pytest.mark.parametrize(
    ("head", "when"),
    [
        ("2023", "in 2023"),
        ("Year Ended December 31, 2023", "in 2023"),
        ("Years Ended December 31 1993", "in 1993"),
        ("Fiscal 2009", "in fiscal 2009"),
        ("As of December 31, 2017", "at December 31, 2017"),
        ("Dec 30, 2023", "at December 30, 2023"),
        ("YEAR ENDED SEPTEMBER 25, 1999", "in the year ended September 25, 1999"),
        ("Twelve Months Ended December 31, 2016", "in 2016"),
        ("(in millions) 2016 (1)", "in 2016"),
        ("Level 2", "in the column “Level 2”"),
        ("Three Months Ended May 31, 2023", "in the column “Three Months Ended May 31, 2023”"),
        ("2017 % of sales", "in the column “2017 % of sales”"),
    ],
)
def test_names_a_period_or_quotes_the_head(head: str, when: str) -> None:
    assert _columns(head) == [when]


def test_years_end_on_the_days_that_the_label_column_says() -> None:
    assert _columns("Dec 30, 2023", "Dec 31, 2022", ended=True) == ["in 2023", "in 2022"]
    assert _columns("Dec 30, 2023", ended=True) == ["in the year ended December 30, 2023"]


def test_columns_are_named_alike() -> None:
    """A head of old filings may stand over one of its columns only."""
    assert _columns("Year ended June 30, 1995", "1994", "1993") == ["in 1995", "in 1994", "in 1993"]


def test_a_title_over_all_columns_is_no_part_of_their_names() -> None:
    assert _columns("Statement of Income 2023", "Statement of Income 2022") == [
        "in 2023",
        "in 2022",
    ]
    assert _columns("Year 2023 Class A", "Year 2023 Class B") == [
        "in the column “Year 2023 Class A”",
        "in the column “Year 2023 Class B”",
    ]


def test_columns_of_the_same_name_have_none() -> None:
    assert _columns("2023", "2023", "2022") == ["in 2022"]


@pytest.mark.parametrize("head", ["", "Note", "Page", "% of sales", "Assets1", "Weighted-"])
def test_columns_of_notes_pages_and_cut_heads_have_no_name(head: str) -> None:
    assert _columns(head, "Fair value") == ["in the column “Fair value”"]
