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
        found.setdefault(fact.name, []).append(f"{fact.amount} {fact.period.when}")
    return found


def test_names_parts_by_their_section_and_totals_by_themselves() -> None:
    assert _facts(SALES) == {
        "“Pumps” under “Net sales”": ["$620 million in 2023", "$450 million in 2022"],
        "“Valves” under “Net sales”": ["$280 million in 2023", "$270 million in 2022"],
        "total net sales": ["$1,000 million in 2023", "$800 million in 2022"],
    }


def test_finds_what_adds_up_in_each_period() -> None:
    (total,) = _table(SALES).sums
    assert (total.total, total.parts) == (5, (2, 3, 4))


def test_rounded_parts_may_miss_a_total_by_one() -> None:
    rows = [*SALES[:-1], ["Total net sales", "$1,001", "$800"]]
    assert _table(rows).sums
    rows = [*SALES[:-1], ["Total net sales", "$1,002", "$800"]]
    assert not _table(rows).sums


def test_leaves_out_amounts_without_a_known_scale() -> None:
    assert _facts(SALES, "Results of the pumps business:") == {}
    assert _facts(SALES, "Results (in whole dollars):")["total net sales"][0] == "$1,000 in 2023"


def test_the_scale_of_another_table_is_not_this_ones() -> None:
    """A table that states none may be in another scale than the one beside it."""
    rows = (("", "2023"), ("Net sales", "$1,000"))
    tables = [table_html(rows, {}), table_html((("", "2023"), ("Rent expense", "$12")), {})]
    text = write_snippet(["Results (in millions):", tables[0], "Rent:", tables[1]])
    assert [len(table.facts) for table in tables_of(text, "2023")] == [1, 0]


def test_numbers_of_ten_millions_are_in_ones() -> None:
    rows = [["", "2023"], ["Net sales", "$71,113,000"], ["Cost of sales", "47,542,000"]]
    assert _facts(rows, "Results:")["cost of sales"] == ["$47,542,000 in 2023"]


def test_no_company_has_trillions_of_shares() -> None:
    rows = [["", "2023"], ["Average shares outstanding", "26,664,247"], ["Net income", "$12"]]
    assert set(_facts(rows)) == {"net income"}


@pytest.mark.parametrize(
    "label",
    [
        "Other revenue",
        "Less: discounts on sales",
        "Increase in inventories",
        "effects of changes in income taxes",  # goes on from the row above
        "Income from continuing operations before",
        "Net income before (loss",
        "Balance of deposits, beginning of year",
        "Total",
        "Basic",  # without a heading that says what of
        "Sales of 2021",
        "Net sales1",
        "Designated as cash flow hedges",
        "Total recognized in comprehensive income",
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


def test_leaves_out_tables_of_what_falls_due() -> None:
    rows = [["", "2023", "2022"], ["Rent expense", "$12", "$11"]]
    assert _facts(rows, "Future minimum lease payments (in millions):") == {}


def test_leaves_out_periods_after_the_report() -> None:
    rows = [["", "2024", "2023"], ["Rent expense", "$12", "$11"]]
    assert _facts(rows) == {"rent expense": ["$11 million in 2023"]}


def test_leaves_out_columns_whose_years_are_rows() -> None:
    rows = [["", "Level 1", "Level 2"], ["2023", "", ""], ["Corporate bonds", "$10", "$20"]]
    assert _facts(rows) == {}


def test_leaves_out_shares_among_amounts_of_money() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Net income", "$601", "$309"],
        ["Denominator for earnings per share - average shares", "143,157", "131,974"],
        ["Effect of dilutive securities:", "", ""],
        ["Convertible debt", "16,097", "22,642"],
    ]
    assert set(_facts(rows)) == {"net income"}


def test_leaves_out_amounts_per_share_that_only_a_heading_calls_so() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Net income", "$601", "$309"],
        ["Amounts per share:", "", ""],
        ["Income from operations", "$1.02", "$0.98"],
    ]
    assert set(_facts(rows)) == {"net income"}


def test_reads_amounts_per_share_and_their_heading() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Earnings per share:", "", ""],
        ["Basic", "$1.69", "$(0.36)"],
        ["Diluted", "$1.65", "$(0.36)"],
    ]
    assert _facts(rows, "(in thousands, except per share data)") == {
        "basic earnings per share": ["$1.69 in 2023"],
        "diluted earnings per share": ["$1.65 in 2023"],
    }


def test_a_minus_is_a_loss_and_never_a_deduction() -> None:
    rows = [
        ["", "2023", "2022"],
        ["Net income (loss)", "$(241)", "$70"],
        ["Cost of sales", "(300)", "(280)"],
    ]
    assert _facts(rows) == {"net income (loss)": ["-$241 million in 2023", "$70 million in 2022"]}


def test_tells_amounts_from_percentages_beside_them() -> None:
    rows = [
        ["", "2023", "2023", "2022", "2022"],
        ["", "Amount", "Percent", "Amount", "Percent"],
        ["Interest income", "$620", "62%", "$450", "56%"],
        ["Rent income", "380", "38%", "350", "44%"],
    ]
    assert _facts(rows)["interest income"] == [
        "$620 million in the column “Amount” in 2023",
        "62% in the column “Percent” in 2023",
        "$450 million in the column “Amount” in 2022",
        "56% in the column “Percent” in 2022",
    ]


def test_a_quarter_is_no_year() -> None:
    heads = ["", "Three months ended December 31,", "Year ended December 31,"]
    rows = [heads, ["", "2023", "2023"], ["Net sales", "$250", "$990"]]
    assert _facts(rows) == {"net sales": ["$990 million in 2023"]}


def test_names_keep_their_capitals_only_if_the_text_has_them() -> None:
    rows = [["", "2023", "2022"], ["Google segment revenues", "$90", "$85"]]
    assert set(_facts(rows, "We expect that Google grows.", "Revenues (in millions)")) == {
        "Google segment revenues"
    }
    assert set(_facts(rows)) == {"“Google segment revenues”"}


def test_figures_are_the_companys_only_in_consolidated_tables() -> None:
    rows = [["", "2023", "2022"], ["Net income", "$90", "$85"]]
    caption = "(in millions)"
    assert _table(rows, "CONSOLIDATED STATEMENTS OF INCOME", caption).is_of_company
    sentence = "Our Consolidated Statements of Income include expenses as follows (in millions):"
    assert not _table(rows, sentence).is_of_company
    assert not _table(
        rows, "CONSOLIDATED RESULTS OF DISCONTINUED OPERATIONS", caption
    ).is_of_company


@pytest.mark.parametrize("opening", ["Beginning gross unrecognized tax benefits", "Opening stock"])
def test_a_date_is_no_period_of_what_happened_between_two_balances(opening: str) -> None:
    rows = [
        ["(In millions)", "Dec 30, 2023", "Dec 31, 2022"],
        [opening, "$1,229", "$1,020"],
        ["Settlements with tax authorities", "288", "181"],
        ["Net sales of inventory", "183", "347"],
    ]
    assert _facts(rows) == {}


def test_a_row_whose_words_are_broken_is_not_asked_for() -> None:
    rows = [["", "2023", "2022"], ["Valuati on expense", "$113", "$167"], ["Net sales", "9", "8"]]
    assert "“Valuati on expense”" in _facts(rows) or "valuati on expense" in _facts(rows)
    names = _facts(rows, "The valuation changed (in millions):")
    assert list(names) == ["net sales"]
