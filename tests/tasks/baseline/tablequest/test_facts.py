"""Only facts of a certain row, period, unit and scale can be asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tasks.baseline.tablequest.facts import Table, tables_of
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.snippets import write_snippet

SALES = [
    ["", "2023", "2022"],
    ["Net sales:", "", ""],
    ["Pumps", "$620", "$450"],
    ["Valves", "280", "270"],
    ["Other", "100", "80"],
    ["Total net sales", "$1,000", "$800"],
]


def _table(rows: Sequence[Sequence[str]], *before: str, year: str = "2023") -> Table:
    html = table_html(tuple(map(tuple, rows)), {})
    (table,) = tables_of(write_snippet([*(before or ("Results (in millions):",)), html]), year)
    return table


def _facts(rows: Sequence[Sequence[str]], *before: str, year: str = "2023") -> dict[str, list[str]]:
    """Return the amounts of each row that can be asked for, by its name."""
    found: dict[str, list[str]] = {}
    for fact in _table(rows, *before, year=year).facts.values():
        found.setdefault(fact.name, []).append(f"{fact.amount} {fact.when}")
    return found


def test_quotes_rows_with_their_section_if_they_repeat_or_say_nothing() -> None:
    rows = [*SALES, ["Income:", "", ""], ["Pumps", "60", "50"], ["Total", "$60", "$50"]]
    assert _facts(rows) == {
        "“Pumps” under “Net sales”": ["$620 million in 2023", "$450 million in 2022"],
        "“Valves”": ["$280 million in 2023", "$270 million in 2022"],
        "“Other” under “Net sales”": ["$100 million in 2023", "$80 million in 2022"],
        "“Total net sales”": ["$1,000 million in 2023", "$800 million in 2022"],
        "“Pumps” under “Income”": ["$60 million in 2023", "$50 million in 2022"],
        "“Total” under “Income”": ["$60 million in 2023", "$50 million in 2022"],
    }


def test_finds_what_adds_up_in_each_period() -> None:
    assert _table(SALES).sums == {5: (2, 3, 4)}


def test_rounded_parts_may_miss_a_total_by_one() -> None:
    rows = [*SALES[:-1], ["Total net sales", "$1,001", "$800"]]
    assert _table(rows).sums
    rows = [*SALES[:-1], ["Total net sales", "$1,002", "$800"]]
    assert not _table(rows).sums


def test_leaves_out_amounts_without_a_known_scale() -> None:
    assert _facts(SALES, "Results of the pumps business:") == {}
    assert _facts(SALES, "Results (in whole dollars):")["“Total net sales”"][0] == "$1,000 in 2023"


def test_the_scale_of_another_table_is_not_this_ones() -> None:
    """A table that states none may be in another scale than the one beside it."""
    rows = (("", "2023"), ("Net sales", "$1,000"))
    tables = [table_html(rows, {}), table_html((("", "2023"), ("Rent expense", "$12")), {})]
    text = write_snippet(["Results (in millions):", tables[0], "Rent:", tables[1]])
    assert [len(table.facts) for table in tables_of(text, "2023")] == [1, 0]


def test_numbers_of_ten_millions_are_in_ones() -> None:
    rows = [["", "2023"], ["Net sales", "$71,113,000"], ["Cost of sales", "47,542,000"]]
    assert _facts(rows, "Results:")["“Cost of sales”"] == ["$47,542,000 in 2023"]


def test_no_company_has_trillions_of_shares() -> None:
    rows = [["", "2023"], ["Average shares outstanding", "26,664,247"], ["Net income", "$12"]]
    assert set(_facts(rows)) == {"“Net income”"}


@pytest.mark.parametrize(
    "label",
    [
        "Less: discounts on sales",
        "Increase in inventories",
        "effects of changes in income taxes",  # goes on from the row above
        "Income from continuing operations before",
        "Net income before (loss",
        "Total",
        "Net sales1",
    ],
)
def test_leaves_out_labels_that_say_too_little(label: str) -> None:
    assert _facts([["", "2023", "2022"], [label, "$120", "$110"]]) == {}


def test_leaves_out_a_label_that_goes_on_in_the_next_row() -> None:
    rows = [["", "2023", "2022"], ["Cost of goods sold", "$90", "$85"], ["and occupancy", "", ""]]
    assert _facts(rows) == {}


def test_leaves_out_rows_that_repeat() -> None:
    rows = [["", "2023", "2022"], ["Net sales", "$90", "$85"], ["Net sales", "$9", "$8"]]
    assert _facts(rows) == {}


def test_leaves_out_columns_that_are_not_under_their_heads() -> None:
    """In old text filings, heads may stand a column too far to the left."""
    rows = [["", "1993", "1992", ""], ["Net sales", "", "$1,500", "$1,400"]]
    assert _facts(rows) == {}


def test_leaves_out_periods_after_the_report() -> None:
    rows = [["", "2024", "2023"], ["Rent expense", "$12", "$11"]]
    assert _facts(rows) == {"“Rent expense”": ["$11 million in 2023"]}


def test_leaves_out_shares_among_amounts_of_money() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Net income", "$601", "$309"],
        ["Denominator for earnings per share - average shares", "143,157", "131,974"],
        ["Effect of dilutive securities:", "", ""],
        ["Convertible debt", "16,097", "22,642"],
    ]
    assert set(_facts(rows)) == {"“Net income”"}


def test_reads_amounts_per_share_and_their_heading() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Earnings per share:", "", ""],
        ["Basic", "$1.69", "$(0.36)"],
        ["Diluted", "$1.65", "$(0.36)"],
    ]
    assert _facts(rows, "(in thousands, except per share data)") == {
        "“Basic”": ["$1.69 in 2023"],
        "“Diluted”": ["$1.65 in 2023"],
    }


def test_a_minus_is_a_loss_and_never_a_deduction() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Net income (loss)", "$(241)", "$70"],
        ["Cost of sales", "(300)", "(280)"],
    ]
    assert _facts(rows) == {"“Net income (loss)”": ["-$241 million in 2023", "$70 million in 2022"]}


def test_tells_amounts_from_percentages_beside_them() -> None:
    rows = [
        ["", "2023", "2023", "2022", "2022"],
        ["", "Amount", "Percent", "Amount", "Percent"],
        ["Interest income", "$620", "62%", "$450", "56%"],
        ["Rent income", "380", "38%", "350", "44%"],
    ]
    assert _facts(rows)["“Interest income”"] == [
        "$620 million in the column “2023 Amount”",
        "62% in the column “2023 Percent”",
        "$450 million in the column “2022 Amount”",
        "56% in the column “2022 Percent”",
    ]


def test_a_quarter_is_no_year() -> None:
    heads = ["", "Three months ended December 31,", "Year ended December 31,"]
    rows = [heads, ["", "2023", "2023"], ["Net sales", "$250", "$990"]]
    quarter = "$250 million in the column “Three months ended December 31, 2023”"
    assert _facts(rows) == {"“Net sales”": [quarter, "$990 million in 2023"]}


def test_a_percent_sign_in_a_label_makes_no_percentage() -> None:
    rows = [["", "2023", "2022"], ["Leases, 4.16%, to 2030", "139", "165"], ["Debt", "$9", "$8"]]
    assert set(_facts(rows)) == {"“Debt”"}


def test_a_column_without_signs_beside_columns_of_money_may_count_things() -> None:
    rows = [
        ["", "Awards", "Fair cost", "Later awards"],
        ["Granted in 2023", "5,000", "69", "6,000"],
        ["All", "7,000", "$99", "8,000"],
    ]
    found = _facts(rows, "Awards outstanding (dollar amounts in thousands):")
    assert found["“Granted in 2023”"] == ["$69 thousand in the column “Fair cost”"]


def test_an_amount_of_another_precision_than_the_table_may_be_per_share() -> None:
    rows = [["", "2023", "2022"], ["Net sales", "$601", "$309"], ["Cost of sales", "90", "80"]]
    assert set(_facts([*rows, ["Cash dividends", "$1.955", "$1.605"]])) == {
        "“Net sales”",
        "“Cost of sales”",
    }


def test_cents_below_a_heading_of_amounts_per_share_are_no_millions() -> None:
    rows = [["", "2023", "2022"], ["AMOUNTS PER SHARE OF", "", ""], ["COMMON STOCK", "", ""]]
    assert _facts([*rows, ["Income", "$4.55", "$4.79"], ["Cash dividends", "$1.60", "$1.95"]]) == {}
