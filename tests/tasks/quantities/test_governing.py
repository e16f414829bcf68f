"""Scales: which statement governs a table."""

from __future__ import annotations

import pytest

from tasks.quantities.governing import Figures, Section, governing
from tasks.quantities.scales import Stated, stated_in

TABLE = Figures(
    None,
    has_money=True,
    is_continued=False,
    rows=(("Orders", ("$3,751", "$3,100")), ("Services", ("4,210", "4,020"))),
)
NOTED = "Unless otherwise noted, tables are presented in U.S. dollars in millions."


def scales(*parts: str | Section | Figures) -> list[str | None]:
    return [stated.any_scale if stated else None for stated in governing(parts)]


def test_a_statement_governs_from_its_place_until_another_is_stated() -> None:
    assert scales(
        TABLE,
        NOTED,
        "Orders rose in both years, as the next page shows.",
        TABLE,
        "All tabular amounts are in thousands, except per share data.",
        "More of the same.",
        TABLE,
        "Unless otherwise indicated, dollar amounts are expressed in billions.",
        "Costs fell.",
        TABLE,
    ) == [None, "millions", "thousands", "billions"]


def test_the_nearest_statement_counts() -> None:
    own = Figures(stated_in("(in billions)"), True, False, TABLE.rows)
    lead = "Results were as follows (in thousands):"
    assert scales(NOTED, lead, own) == ["billions"]
    assert scales(NOTED, lead, TABLE) == ["thousands"]
    assert scales(NOTED, "Orders rose.", TABLE) == ["millions"]


def test_a_section_ends_what_was_stated_for_it() -> None:
    notes = "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS"
    parts: list[str | Figures] = [
        notes,
        "(In thousands, except per share data)",
        "1. Orders were steady.",
        TABLE,
    ]
    assert scales(*parts) == ["thousands"]
    assert scales(*parts, "Item 9. Changes in and Disagreements with Accountants", TABLE) == [
        "thousands",
        None,
    ]
    assert scales(*parts, Section("9"), "Orders were steady.", TABLE) == ["thousands", None]
    in_item = "Amounts in this Item 7 are in thousands, unless otherwise noted."
    assert scales(NOTED, "Item 7. Discussion", in_item, TABLE, "Item 8. Statements", TABLE) == [
        "thousands",
        "millions",
    ]


@pytest.mark.parametrize(
    "title",
    [
        ("GARNET CO. NOTES TO THE FINANCIAL STATEMENTS (Dollars in thousands, except as noted)",),
        ("Combined Notes to Consolidated Financial Statements", "(Dollars in thousands)"),
        ("Notes to Statements", "December 31, 2023", "(Tabular Amounts in Thousands, or as Noted)"),
        ("Item 7. Management's Discussion and Analysis (in thousands)",),
    ],
)
def test_the_title_of_a_section_states_its_scale(title: tuple[str, ...]) -> None:
    assert scales(*title, "1. Orders", "Orders were steady.", TABLE) == ["thousands"]


def test_a_pointer_to_the_notes_is_no_title() -> None:
    pointer = "See accompanying notes to consolidated financial statements"
    assert scales(pointer, "Inventories (in thousands)", TABLE, "Debt rose.", "Debt", TABLE) == [
        "thousands",
        None,
    ]


def test_what_is_said_of_the_report_governs_what_stands_before_it() -> None:
    throughout = "Amounts are in millions throughout this report."
    assert scales("Orders rose.", TABLE, throughout) == ["millions"]
    contradiction = "In this report, all amounts are in thousands."
    assert scales("Orders rose.", TABLE, throughout, contradiction, TABLE) == [None, None]


@pytest.mark.parametrize(
    "text",
    [
        "The following table is in thousands.",
        "Amounts in this table are in thousands.",
        "The information presented below (in thousands) should be read with all notes in this "
        "report.",
        "Inventories consisted of the following (in thousands):",
    ],
)
def test_a_statement_about_one_table_governs_no_other(text: str) -> None:
    found = scales(text, TABLE, "Accrued expenses were steady in both years.", TABLE)
    assert found == ["thousands", None]
    assert scales(text, TABLE, "Accrued Expenses", TABLE) == ["thousands", None]


def test_a_lead_in_before_a_heading_governs_the_headed_tables() -> None:
    lead = "The details of the balance sheet are as follows (in millions):"
    parts: list[str | Figures] = [lead, "Other Assets", TABLE, "Accrued Expenses", TABLE]
    assert scales(*parts, "Debt rose.", "Debt", TABLE) == ["millions", "millions", None]


def test_a_statement_cut_in_two_tables_keeps_the_scale_of_its_title() -> None:
    parts: list[str | Figures] = [
        "CONSOLIDATED BALANCE SHEETS",
        "(In thousands)",
        TABLE,
        "LIABILITIES AND EQUITY",
        TABLE,
    ]
    assert scales(*parts) == ["thousands"] * 2
    assert scales(*parts, "CONSOLIDATED STATEMENTS OF INCOME", TABLE)[-1] is None
    assert scales(*parts, "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS", "Debt", TABLE)[-1] is None
    assert scales("Inventories (in thousands)", TABLE, "Debt", TABLE) == ["thousands", None]
    assert scales("Item 8. Financial Statements", *parts, "Debt rose.", "Debt", TABLE)[-1] is None


def test_a_table_that_continues_keeps_its_scale() -> None:
    own = Figures(stated_in("(in billions)"), True, False, TABLE.rows)
    assert scales("Debt:", own, "Maturities (continued)", TABLE) == ["billions"] * 2
    rest = Figures(None, True, True, TABLE.rows)
    assert scales("Debt:", own, "As restated in 2022.", rest) == ["billions"] * 2


def test_notes_under_a_table_do_not_end_its_lead_in() -> None:
    lead = "Segments were as follows (in millions):"
    assert scales(lead, TABLE, "(1) Corporate costs are shared.", TABLE) == ["millions"] * 2


@pytest.mark.parametrize(
    "rows",
    [
        (("March 31", ("$872.37", "$807.77")), ("June 30", ("$904.28", "$839.88"))),
        (("Unvested", ("25,348,955", "$624.92")), ("Granted", ("8,097,708", "$845.06"))),
        (("Ours", ("$100", "$277", "$397")), ("Index", ("$100", "$112", "$124"))),
        (("Salary", ("$875,010", "$801,220")), ("Bonus", ("100,000", "90,000"))),
        (("Total assets", ("$71,113,212", "$65,602,118")),),
    ],
)
def test_prices_pay_and_whole_dollars_inherit_no_scale(
    rows: tuple[tuple[str, tuple[str, ...]], ...],
) -> None:
    assert scales(NOTED, "Orders rose.", Figures(None, True, False, rows)) == [None]


def test_amounts_that_the_text_repeats_in_full_inherit_no_scale() -> None:
    text = "Sales were $71,113,212, after $65,602,118 and $52,031,007."
    rows = (("Sales", ("$71,113,212", "$65,602,118", "$52,031,007")), ("Costs", ("9", "8", "7")))
    table = Figures(None, True, False, rows)
    assert scales("All dollar amounts are in thousands.", text, table) == [None]
    assert scales("All dollar amounts are in thousands.", "Sales rose.", table) == ["thousands"]


def test_earnings_per_share_in_their_own_rows_do_not_prevent_it() -> None:
    rows = (*TABLE.rows, ("Net loss", ("(253)", "(80)")), ("Basic", ("$(9.49)", "$(3.29)")))
    assert scales(NOTED, "By quarter:", Figures(None, True, False, rows)) == ["millions"]


def test_share_prices_and_pay_are_in_dollars_whatever_the_accounts_are_in() -> None:
    assert scales(NOTED, "Item 11. Executive Compensation", "Pay:", TABLE) == [None]


def test_amounts_that_end_in_000_are_whole_dollars() -> None:
    rows = (("Net sales", ("$71,113,000", "$65,602,000")), ("Costs", ("47,542,000", "45,168,000")))
    assert scales("Results", Figures(None, True, False, rows)) == ["ones"]
    shares = (("October", ("$8.63", "2,000,000")), ("November", ("$7.10", "2,000,000")))
    assert scales("Purchases", Figures(None, True, False, shares)) == [None]


def test_without_any_statement_the_text_shows_whole_dollars() -> None:
    text = "We owe $42,920 and $31,920, with interest of $1,269."
    rows = (("Notes payable", ("$42,920", "$31,920")), ("Interest", ("1,269", "308")))
    table = Figures(None, True, False, rows)
    assert scales(text, table) == ["ones"]
    assert scales("We owe $42,920.", table) == [None]
    assert scales(text, table, "Debt was as follows (in thousands):", TABLE) == [None, "thousands"]


def table(*rows: tuple[str, ...]) -> Figures:
    return Figures(None, True, False, tuple((label, figures) for label, *figures in rows))  # type: ignore[misc]


FEES = table(("Audit fees", "$412,350", "$390,120"), ("Others", "125,400", "118,900"))
COSTS = table(("Advice", "$125,400", "$118,900"), ("Training", "65,100", "61,750"))
LOANS = table(("To Ms. Ode", "$1,234,567", "$1,100,123"), ("To Mr. Ury", "800,111", "750,222"))
PRICES = table(("First", "$12.50", "$11.25"), ("Second", "14.75", "12.50"))


@pytest.mark.parametrize("title", ["Item 7. Discussion", "Orders"])
@pytest.mark.parametrize(
    ("between", "later"),
    [
        (("The fees that we paid to our auditors were as follows:",), FEES),
        (("We use advisers.", "We paid them this in both years."), COSTS),
        (("The high and low prices of our shares were:",), PRICES),
        ((), LOANS),
    ],
)
def test_a_heading_does_not_reach_tables_of_other_sizes(
    title: str, between: tuple[str, ...], later: Figures
) -> None:
    assert scales(title, "(In thousands)", TABLE, *between, later) == ["thousands", None]


def test_many_tables_of_one_statement_vouch_for_each_other() -> None:
    large = table(("Assets", "$654,321", "$600,100"), ("Cash", "8,120", "7,502"))
    small = table(("Fees", "$3", "$4"), ("Interest", "5", "6"))
    parts = [part for _ in range(4) for part in ("Debt was steady.", large)]
    assert scales(NOTED, "Tiny (in millions)", small, *parts) == ["millions"] * 5


def test_a_sentence_ends_the_reach_of_a_heading() -> None:
    assert scales("Debt (in thousands)", TABLE, "Leases were steady.", TABLE) == ["thousands", None]
    assert scales("Debt (in thousands)", "Our debt is this.", TABLE) == ["thousands"]


def test_amounts_that_end_in_000_do_not_override_a_statement() -> None:
    notes = ("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS", "(Dollars in thousands)", "We owe this.")
    debt = table(("Notes", "$250,000", "$250,000"), ("Debentures", "300,000", "300,000"))
    assert scales(*notes, debt)[0] != "ones"
    large = table(("Notes", "$2,250,000", "$2,250,000"), ("Debentures", "300,000", "300,000"))
    assert scales(*notes, large) == [None]
    assert scales("We owe this.", debt) == [None]  # perhaps of millions


@pytest.mark.parametrize(
    "own", [None, stated_in("(Thousands of dollars)")], ids=["above it", "in its heads"]
)
def test_other_statements_in_another_scale_end_a_sections(own: Stated | None) -> None:
    above = () if own else ("(Thousands of dollars)",)
    assert scales(
        "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS",
        "(Millions of dollars)",
        "1. Debt was steady.",
        TABLE,
        "Sub Power Company",
        "BALANCE SHEETS",
        *above,
        Figures(own, True, False, TABLE.rows),
        "Debt of the company was steady.",
        TABLE,
    ) == ["millions", "thousands", None]


@pytest.mark.parametrize(
    "text",
    [
        "Industry figures throughout are reported in billions by the trade association.",
        "The tables present customer counts stated in thousands.",
        "Unless otherwise noted, all customer numbers are in thousands.",
        "Tabular amounts are in millions, except in Note 5 where they are in thousands.",
    ],
)
def test_a_sentence_about_other_things_or_two_scales_governs_nothing(text: str) -> None:
    assert scales("Item 1. Business", text, "Item 7. Discussion", "Orders rose.", TABLE) == [None]


@pytest.mark.parametrize("item", ["2", "14"])
def test_rents_and_fees_are_not_in_the_scale_of_the_accounts(item: str) -> None:
    amounts = "All dollar amounts are in thousands unless otherwise noted."
    assert scales(amounts, Section(item), "We paid:", COSTS) == [None]
    assert scales(amounts, Section(item), "Rents (in thousands):", COSTS) == ["thousands"]


@pytest.mark.parametrize(
    "rows",
    [
        (("Directors' fees", "$371,111"), ("Travel", "12,400")),
        (("Average annual wage", "$71,111"), ("Health", "12,400")),
        (("Production (MBbl)", "1,234"), ("Gas (MMcf)", "5,200"), ("Price ($/Bbl)", "$21.45")),
    ],
)
def test_wages_and_volumes_inherit_no_scale(rows: tuple[tuple[str, ...], ...]) -> None:
    assert scales(NOTED, "Orders rose.", table(*rows)) == [None]


@pytest.mark.parametrize(
    "text",
    ["($1,000's)", "(In $1,000)", "($K)", "(In hundreds)", "(dollars in MMs)", "(in thou.)",
     "(expressed in $1000s)", "(x 1,000)", "(Expressed in U.S. Dollars)", "(Dollars in units)"],
)  # fmt: skip
def test_a_unit_not_understood_ends_inheritance(text: str) -> None:
    assert scales(NOTED, "Orders", text, TABLE) == [None]
    assert scales(NOTED, "Orders", TABLE) == ["millions"]
    assert scales(NOTED, "Orders", "(In thousands)", text, TABLE) == ["thousands"]


@pytest.mark.parametrize(
    "text", ["(Unaudited)", "(in addition to leases we own)", "Increase (net)"]
)
def test_other_brackets_do_not_end_inheritance(text: str) -> None:
    assert scales(NOTED, f"Orders {text}", TABLE) == ["millions"]


@pytest.mark.parametrize(
    "text",
    ["(Amounts in dollars)", "In dollars", "(in actual amounts)", "(rounded to nearest dollar)"],
)
def test_reads_whole_dollars(text: str) -> None:
    assert scales(NOTED, text, TABLE) == ["ones"]
    both = stated_in("(Amounts in dollars, except shares in thousands)")
    assert both == Stated("ones", "thousands", is_of_money=True)
