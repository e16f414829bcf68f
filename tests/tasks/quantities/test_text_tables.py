"""Tables in plain text: labels, heads, values, scale, and values as sentences state them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.quantities.text_tables import find_tables, is_value, stated_value

BARRED = """Results of operations (in thousands, except per share data):

| Year Ended December 31,
| 2017 | 2016 | % Change
Revenues:
Net sales | $ 1,234 | $ 1,100 | 12%
Other (1) | 55 | — | n/a
Total revenue | 1,289 | 1,100 | 17%
Operating loss | (12) | (7)
Earnings per share | $ 0.42 | $ 0.40
Employees | 810 | 790

The table above is invented."""

ALIGNED = """Selected data, in millions of dollars:

                                   Years Ended June 30,
                                  1995          1994
                                  ----          ----
Current assets:
  Cash and cash equivalents ..   $  330        $  238
  Accounts receivable, less allowance for doubtful
    accounts of $4 and $3          98            68
       Total current assets        428           306
                                  ====          ===="""


def test_cells_between_bars_keep_their_column_heads_and_section() -> None:
    (table,) = find_tables(BARRED)
    sales = table.rows[0]
    assert (sales.label, sales.section) == ("Net sales", "Revenues")
    assert sales.heads == (
        "Year Ended December 31, 2017",
        "Year Ended December 31, 2016",
        "Year Ended December 31, % Change",
    )
    assert sales.values == ("$ 1,234", "$ 1,100", "12%")
    assert table.scale == "thousands"


def test_labels_and_values_of_aligned_columns_are_told_apart() -> None:
    (table,) = find_tables(ALIGNED)
    first, *_, last = [(row.label, row.section, row.values) for row in table.rows]
    assert first == ("Cash and cash equivalents", "Current assets", ("$ 330", "$ 238"))
    assert last == ("Total current assets", "Current assets", ("428", "306"))


@pytest.mark.parametrize(
    ("label", "column", "stated"),
    [
        ("Net sales", 0, "$1,234 thousand"),
        ("Net sales", 2, "12%"),
        ("Operating loss", 0, "-$12 thousand"),
        ("Earnings per share", 0, "$0.42"),
        ("Employees", 0, "810"),
        ("Other", 1, None),
    ],
)
def test_states_a_value_with_unit_scale_and_sign(
    label: str, column: int, stated: str | None
) -> None:
    (table,) = find_tables(BARRED)
    row = next(row for row in table.rows if row.label == label)
    assert stated_value(table, row, column) == stated


@pytest.mark.parametrize(
    ("cell", "stated"),
    [
        ("CHF 1,234", "CHF 1,234 thousand"),
        ("(PLN 1,234)", "-PLN 1,234 thousand"),
        ("1,234 €", "€1,234 thousand"),
        ("$1,234 million", "$1,234 million"),
        ("1,234 MW", "1,234 MW"),
    ],
)
def test_a_value_is_stated_with_its_own_unit(cell: str, stated: str) -> None:
    barred = f"Sales (in thousands)\n\n| 2022 | 2021\nNorth | {cell} | {cell}\nSouth | {cell} | 5"
    (table,) = find_tables(barred)
    assert stated_value(table, table.rows[0], 1) == stated
    aligned = f"Sales, in thousands:\n\n{'2022':>24}  {'2021':>14}\n" + "\n".join(
        f"{name:10}{cell:>14}  {cell:>14}" for name in ("North", "South")
    )
    (table,) = find_tables(aligned)
    assert stated_value(table, table.rows[0], 1) == stated


def test_an_amount_of_unknown_scale_is_not_stated() -> None:
    rows = (
        "| 2023 | 2022\nOrders | $3,751 | $3,100\nOrders per share | $1.21 | $1.02\nStaff | 9 | 8"
    )
    (unknown,) = find_tables(f"Orders rose.\n\n{rows}")
    assert [stated_value(unknown, row, 0) for row in unknown.rows] == [None, "$1.21", None]
    (known,) = find_tables(
        "Unless otherwise noted, tables are presented in U.S. dollars in millions.\n\n"
        f"Orders rose.\n\n{rows}"
    )
    assert stated_value(known, known.rows[0], 0) == "$3,751 million"
    whole = rows.replace("3,751", "3,751,000").replace("3,100", "3,100,000")
    (exact,) = find_tables(f"Orders rose.\n\n{whole}\nCash | 212,000 | 198,000")
    assert stated_value(exact, exact.rows[0], 0) == "$3,751,000"


def test_columns_and_counts_have_their_own_scale() -> None:
    (table,) = find_tables(
        "Revenue by market (in millions, except share amounts which are in thousands):\n\n"
        "| Revenue | Shares | Units (in billions)\n"
        "Coal | $3,111 | 855,263 | 1,765\nTax withheld on vested units | 12 | 8 | 5"
    )
    coal, tax = table.rows
    assert [stated_value(table, coal, column) for column in range(3)] == [
        "$3,111 million",
        "855,263 thousand",
        "1,765 billion",
    ]
    assert stated_value(table, tax, 0) is None
    (named,) = find_tables(
        "(In thousands, except share data)\n\n"
        "| 1997 | 1996\nSales | $ 5,120 | $ 4,980\nAverage shares (thousands) | 3,842 | 3,836"
    )
    assert stated_value(named, named.rows[1], 0) == "3,842 thousand"


@given(st.text(alphabet="ab 1,.$()|%\n-", max_size=120))
def test_never_fails_on_any_text(text: str) -> None:
    for table in find_tables(text):
        for row in table.rows:
            assert len(row.heads) == len(row.values)
            assert all(is_value(value) for value in row.values if value)
