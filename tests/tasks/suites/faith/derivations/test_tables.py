"""What a context's tables hold beside single cells: series and quarters."""

from __future__ import annotations

from tasks.suites.faith.derivations.tables import Tables
from tasks.suites.shared.tables.sheets import Sheet

QUARTERS = ("Q1 2023", "Q2 2023", "Q3 2023", "Q4 2023")
SALES = ("$1.0", "$2.0", "$3.0", "$4.5")


def tables(*rows: tuple[str, ...]) -> Tables:
    return Tables([Sheet(index=0, pre_text="Sales (in millions):", cells=rows)])


def test_four_quarters_make_up_a_year() -> None:
    (years,) = tables(("", *QUARTERS), ("Sales", *SALES)).quarters.values()
    (cells,) = years.values()
    assert [cell.value for cell in cells] == [1_000_000, 2_000_000, 3_000_000, 4_500_000]


def test_quarters_are_not_added_up_if_a_cell_states_their_sum() -> None:
    found = tables(("", *QUARTERS, "2023"), ("Sales", *SALES, "$10.5")).quarters
    assert list(found.values()) == [{}]


def test_rows_of_years_are_a_series_as_columns_of_years_are() -> None:
    for read in (
        tables(("", "Sales"), ("2022", "$4"), ("2023", "$5")),
        tables(("", "2022", "2023"), ("Sales", "$4", "$5")),
    ):
        (series,) = read.all_series
        assert {year: cell.value for year, cell in series.items()} == {
            2022: 4_000_000,
            2023: 5_000_000,
        }


def test_a_series_of_two_units_is_none() -> None:
    assert not tables(("", "2022", "2023"), ("Sales", "$4", "5%")).all_series
