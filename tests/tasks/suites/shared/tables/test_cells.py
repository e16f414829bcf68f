"""Tables read as grids of numbers with units, scales and periods."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from time import process_time

from tasks.suites.shared.tables.cells import Grid, read_grid, scale_for_all, years_in
from tasks.suites.shared.tables.sheets import Sheet


def grid(*rows: tuple[str, ...], pre_text: str = "", usual_scale: str = "") -> Grid:
    return read_grid(Sheet(index=0, pre_text=pre_text, cells=rows), usual_scale)


def test_amounts_are_in_ones_with_their_precision() -> None:
    read = grid(
        ("($ in thousands)", "2017", "2016"),
        ("Net loss", "$(253,116)", "$(80,127)"),
        ("Sales", "7", "9.5"),
    )
    assert read.cells[1, 1].value == Decimal(-253116000)
    assert read.cells[1, 1].decimals == -3
    assert (read.cells[2, 2].value, read.cells[2, 2].unit, read.cells[2, 2].decimals) == (
        9500,
        "money",
        -2,
    )


def test_december_is_no_decrease() -> None:
    read = grid(("", "Dec 31, 2023", "Dec. 31, 2022", "Inc (Dec)"), ("Sales", "$9", "$8", "$1"))
    assert [column.is_change for column in read.columns[1:]] == [False, False, True]


def test_years_and_changes_of_columns() -> None:
    read = grid(
        ("", "2017", "Percent Change", "2016", "Percent Change", "2015"),
        ("Sales", "$9", "12%", "$8", "14%", "$7"),
    )
    assert [column.years for column in read.columns[1:]] == [
        (2017,),
        (2017, 2016),
        (2016,),
        (2016, 2015),
        (2015,),
    ]
    assert read.is_change(read.cells[1, 2])
    assert not read.is_change(read.cells[1, 1])


def test_changes_at_the_end_compare_the_first_two_periods() -> None:
    read = grid(("", "2024", "2023", "$ Change", "% Change"), ("Sales", "$9", "$8", "$1", "13%"))
    assert read.columns[3].years == (2024, 2023)
    assert read.cells[1, 3].unit == "money"
    assert read.cells[1, 4].unit == "percent"


def test_sign_in_the_first_row_applies_to_the_column() -> None:
    read = grid(("", "2016", "2015"), ("Volume", "3.2%", "1.2%"), ("Price", "0.7", "0.6"))
    assert read.cells[2, 1].unit == "percent"


def test_currency_sign_ends_a_column_of_percentages() -> None:
    read = grid(
        ("", "2016", "2015"),
        ("Volume", "3.2%", "1.2%"),
        ("Price", "$0.7", "0.6"),
        ("Cost", "0.5", "0.4"),
    )
    assert [read.cells[row, 1].unit == "percent" for row in (1, 2, 3)] == [True, False, False]
    assert [read.cells[row, 2].unit == "percent" for row in (1, 2, 3)] == [True, True, True]


def test_amounts_per_share_are_not_scaled() -> None:
    read = grid(
        ("(in millions, except per share data)", "2024"),
        ("Sales", "$9"),
        ("Earnings per share", "$1.74"),
    )
    assert read.cells[1, 1].value == 9_000_000
    assert (read.cells[2, 1].value, read.cells[2, 1].unit) == (Decimal("1.74"), "rate")


def test_amounts_per_thing_of_a_column_are_not_scaled() -> None:
    read = grid(
        ("", "Revenues", "Revenue per Unit"),
        ("", "($ in millions)", "($ per unit)"),
        ("Chemicals", "1,238", "3,144"),
    )
    assert (read.cells[2, 1].value, read.cells[2, 1].unit) == (1_238_000_000, "money")
    assert (read.cells[2, 2].value, read.cells[2, 2].unit) == (3144, "rate")


def test_caption_clause_scales_the_rows_that_it_names() -> None:
    read = grid(
        ("", "2009"),
        ("Total net sales", "$36,537"),
        ("Total Mac unit sales", "10,396"),
        pre_text=(
            "The table shows net sales and unit sales (in millions, "
            "except unit sales in thousands):"
        ),
    )
    assert read.cells[1, 1].value == 36_537_000_000
    assert read.cells[2, 1].value == 10_396_000


def test_shares_have_the_scale_that_is_stated_for_them() -> None:
    read = grid(
        ("", "Shares", "Amount"),
        ("Balance", "855,263", "$4,355"),
        ("Tax withheld on vested shares", "0", "12"),
        ("Number of shares used", "", "9"),
        pre_text="(In millions, except share amounts which are reflected in thousands)",
    )
    assert read.cells[1, 1].value == 855_263_000
    assert read.cells[1, 2].value == 4_355_000_000
    assert read.cells[2, 2].value == 12_000_000
    assert read.cells[3, 2].value == 9_000


def test_years_of_a_second_head_are_no_amounts() -> None:
    read = grid(
        ("", "2017", "2016"), ("Sales", "$9", "$8"), ("", "2015", "2014"), ("Sales", "$7", "$6")
    )
    assert sorted(read.cells) == [(1, 1), (1, 2), (3, 1), (3, 2)]


def test_caption_of_two_scales_gives_each_row_the_one_of_its_clause() -> None:
    read = grid(
        ("", "2009"),
        ("Net sales", "$36,537"),
        ("Employees", "12"),
        pre_text="Net sales in millions and employees in thousands:",
    )
    assert read.cells[1, 1].value == 36_537_000_000
    assert read.cells[2, 1].value == 12_000


def test_row_of_percentages_describes_the_row_above() -> None:
    read = grid(
        ("", "2009"), ("Research and development", "$1,333"), ("Percentage of net sales", "3.6%")
    )
    assert read.rows[2].above == "Research and development"


def test_a_total_closes_its_section() -> None:
    read = grid(("", "2009"), ("Assets:", ""), ("Cash", "1"), ("Total assets", "1"), ("Debt", "2"))
    assert read.rows[2].above == "Assets:"
    assert read.rows[4].above == ""


def test_currency_or_bracket_in_its_own_cell_belongs_to_the_number() -> None:
    read = grid(("", "", "2009", ""), ("Loss", "$", "(81", ")"))
    assert read.cells[1, 2].value == -81
    assert read.cells[1, 2].unit == "money"


def test_skips_cells_that_are_no_single_number() -> None:
    read = grid(("", "2009", "2008"), ("Due", "1 - 3 years", "$5"), ("None", "—", "N/A"))
    assert list(read.cells) == [(1, 2)]


def test_unit_of_volume_is_taken_as_named() -> None:
    heads = ("", "2023")
    read = grid(
        heads, ("Sales", "$9"), ("Equivalent (MBOE per day)", "145.1"), pre_text="(in millions)"
    )
    assert (read.cells[2, 1].value, read.cells[2, 1].unit) == (Decimal("145.1"), "amount")


def test_number_in_thousands_needs_a_sign_to_be_a_percentage() -> None:
    read = grid(("", "% of sales"), ("Gross margin", "26,866"), ("Costs", "41.2"))
    assert (read.cells[1, 1].unit, read.cells[2, 1].unit) == ("amount", "percent")


def test_skips_numbers_longer_than_any_quantity() -> None:
    read = grid(("", "2009", "2008"), ("Sales", "9" * 100_000, "5"))
    assert list(read.cells) == [(1, 2)]


def test_table_without_a_scale_takes_its_neighbours() -> None:
    stated = Sheet(index=0, pre_text="(in thousands)", cells=(("", "2009"), ("Sales", "$5")))
    silent = Sheet(index=1, pre_text="", cells=(("", "2009"), ("Sales", "$5")))
    exact = Sheet(index=2, pre_text="", cells=(("", "2009"), ("Sales", "$5,120.25")))
    usual = scale_for_all([stated, silent, exact])
    assert read_grid(silent, usual).cells[1, 1].value == 5000
    assert read_grid(exact, usual).cells[1, 1].value == Decimal("5120.25")


def test_whole_dollars_and_unclear_scales_take_none_of_their_neighbours() -> None:
    whole = Sheet(
        index=0,
        pre_text="",
        cells=(
            ("", "1995", "1994"),
            ("Cash", "$11,330,000", "$8,238,000"),
            ("Debt", "635,000", ""),
        ),
    )
    assert read_grid(whole, "thousands").cells[1, 1].value == 11_330_000
    unclear = replace(whole, pre_text="(M$)", cells=(("", "1995"), ("Cash", "$5")))
    assert read_grid(unclear, "thousands").cells[1, 1].value == 5


def test_finds_years_in_long_and_short_form() -> None:
    assert years_in("’16 vs. ’15") == (2016, 2015)
    assert years_in("December 31, 2023 and $1,999") == (2023,)


def test_a_long_table_is_read_in_one_pass() -> None:
    """Each cell asks what its column's sign says; a pass over all cells each would take minutes."""
    head = ("", *(f"Rate {c}" for c in range(1, 40)))
    first = ("Row 0", *["1.5%"] * 39)
    start = process_time()
    read = grid(head, first, *((f"Row {r}", *["2.5"] * 39) for r in range(1, 1_500)))
    assert process_time() - start < 20
    assert {cell.unit for cell in read.cells.values()} == {"percent"}
