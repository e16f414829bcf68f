"""Tables read as grids of numbers with units, scales and periods."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from time import process_time

import pytest

from tasks.suites.shared.tables.cells import Grid, read_grid, scale_for_all, years_in
from tasks.suites.shared.tables.sheets import Sheet


def grid(*rows: tuple[str, ...], pre_text: str = "", usual_scale: str = "") -> Grid:
    return read_grid(Sheet(index=0, pre_text=pre_text, cells=rows), usual_scale)


@pytest.mark.parametrize(
    ("pre_text", "rows", "place", "value", "unit"),
    [
        ("", ["($ in thousands)|2017", "Net loss|$(253,116)"], (1, 1), -253_116_000, "money"),
        # what stands per share or per thing is not scaled
        ("", ["(in millions, except per share data)|2024", "Sales|$9", "Earnings per share|$1.74"],
         (2, 1), "1.74", "rate"),
        ("", ["|Revenues|Revenue per Unit", "|($ in millions)|($ per unit)", "Coal|1,238|3,144"],
         (2, 2), 3144, "rate"),
        ("(in millions)", ["|2023", "Sales|$9", "Equivalent (MBOE per day)|145.1"],
         (2, 1), "145.1", "amount"),
        # each row has the scale of the clause that names it
        ("The table shows net sales and unit sales (in millions, except unit sales in thousands):",
         ["|2009", "Total net sales|$36,537", "Mac unit sales|10,396"],
         (2, 1), 10_396_000, "amount"),
        ("Net sales in millions and employees in thousands:",
         ["|2009", "Net sales|$36,537", "Employees|12"], (2, 1), 12_000, "amount"),
        ("(In millions, except share amounts which are reflected in thousands)",
         ["|Shares|Amount", "Balance|855,263|$4,355", "Tax withheld on vested shares|0|12"],
         (1, 1), 855_263_000, "amount"),
        ("(In millions, except share amounts which are reflected in thousands)",
         ["|Shares|Amount", "Balance|855,263|$4,355", "Tax withheld on vested shares|0|12"],
         (2, 2), 12_000_000, "amount"),
        # a sign in the first row applies to the column until another one ends it
        ("", ["|2016|2015", "Volume|3.2%|1.2%", "Price|0.7|0.6"], (2, 1), "0.7", "percent"),
        ("", ["|2016", "Volume|3.2%", "Price|$0.7", "Cost|0.5"], (3, 1), "0.5", "money"),
        ("", ["|% of sales", "Gross margin|26,866", "Costs|41.2"], (1, 1), 26_866, "amount"),
        ("", ["|2016", "Cost|$7", "Percentage growth:|", "Cost|5"], (3, 1), "5", "percent"),
        # a currency or bracket in its own cell belongs to the number
        ("", ["||2009|", "Loss|$|(81|)"], (1, 2), -81, "money"),
    ],
)  # fmt: skip
def test_a_cell_is_an_amount_in_ones_with_its_unit(
    pre_text: str, rows: list[str], place: tuple[int, int], value: int | str, unit: str
) -> None:
    cell = grid(*(tuple(row.split("|")) for row in rows), pre_text=pre_text).cells[place]
    assert (cell.value, cell.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (["|2009|2008", "Due|1 - 3 years|$5", "None|—|N/A"], [(1, 2)]),
        (["|2009|2008", f"Sales|{'9' * 100_000}|5"], [(1, 2)]),
        (["|2017", "Sales|$9", "|2015", "Sales|$7"], [(1, 1), (3, 1)]),  # years of a second head
        (["|2017|2016 (a)", "Sales|$9|$8"], [(1, 1), (1, 2)]),
    ],
    ids=["no number", "long", "years", "year with a note"],
)
def test_what_is_no_single_amount_is_left_out(
    rows: list[str], places: list[tuple[int, int]]
) -> None:
    assert sorted(grid(*(tuple(row.split("|")) for row in rows)).cells) == places


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


def test_a_total_closes_its_section() -> None:
    read = grid(("", "2009"), ("Assets:", ""), ("Cash", "1"), ("Total assets", "1"), ("Debt", "2"))
    assert read.rows[2].above == "Assets:"
    assert read.rows[4].above == ""


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
