"""Items by case: headings as filers write them, lookalikes, and ends of Items."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.filings.reader.blocks import Block
from tasks.filings.reader.item_headings import item_numbers
from tasks.filings.reader.item_titles import item_order, match_title, part_of
from tests.tasks.filings.conftest import FORM, PROSE, items_of, titles_of

# --- shapes of headings ---------------------------------------------------------------


def test_reads_item_numbers_as_written():
    assert item_numbers("ONE") == ("1",)
    assert item_numbers("fourteen") == ("14",)
    assert item_numbers("9A(T)") == ("9A",)
    assert (
        item_numbers("7a")
        == item_numbers("7(A)")
        == item_numbers("7-A")
        == item_numbers("7 A")
        == ("7A",)
    )
    assert item_numbers("1 and 2") == ("1", "2")
    assert item_numbers("1. and 2") == ("1", "2")
    assert item_numbers("10, 11, 12 and 13") == ("10", "11", "12", "13")
    assert item_numbers("10 through 13") == ("10", "11", "12", "13")


def test_order_and_part_follow_the_form():
    assert sorted(["10", "9B", "1A", "1", "9", "2", "4A", "16"], key=item_order) == [
        "1",
        "1A",
        "2",
        "4A",
        "9",
        "9B",
        "10",
        "16",
    ]
    assert [part_of(item) for item in ("1", "4A", "5", "9C", "10", "14", "15", "16")] == [
        1,
        1,
        2,
        2,
        3,
        3,
        4,
        4,
    ]


def test_title_ends_where_its_words_end():
    text = "Properties United States Properties Our U.S. properties primarily consist of malls"
    assert text[: match_title("2", text, 0).end_char] == "Properties"
    text = "Executive Compensation The information required by this item"
    assert text[: match_title("11", text, 0).end_char] == "Executive Compensation"
    assert match_title("7", "of this Form 10-K", 0).share < 0.5


def test_numbers_in_words_are_items():
    found = titles_of(
        "PART I",
        "ITEM ONE - BUSINESS",
        PROSE,
        "ITEM TWO - PROPERTIES",
        PROSE,
        "ITEM FOURTEEN - EXHIBITS",
        PROSE,
    )
    assert found == {"1": "BUSINESS", "2": "PROPERTIES", "14": "EXHIBITS"}


@pytest.mark.parametrize(
    "heading",
    [
        "Items 1 and 2. Business and Properties",
        "ITEMS 1. AND 2. BUSINESS AND PROPERTIES",
        "Item 1 & 2: Business and Properties",
    ],
)
def test_combined_heading_gives_both_items(heading):
    found = items_of(
        heading,
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
        "Item 4. Reserved",
    )
    assert list(found) == ["1", "2", "1A", "3", "4"]
    assert found["1"] == found["2"] == f"{heading}\n\n{PROSE}"


def test_two_items_in_one_line_keep_a_title_each():
    found = titles_of(
        "Item 1. Business and Item 2. Properties",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found == {
        "1": "Business",
        "2": "Properties",
        "1A": "Risk Factors",
        "3": "Legal Proceedings",
    }


def test_bare_number_has_its_title_in_the_next_paragraph():
    found = titles_of(
        "Item 1.",
        "Business",
        PROSE,
        "ITEM 1B.",
        "Unresolved Staff Comments",
        "None.",
        "Item 2.",
        "Properties",
        PROSE,
    )
    assert found == {"1": "Business", "1B": "Unresolved Staff Comments", "2": "Properties"}


def test_heading_in_a_row_of_a_table_is_found():
    row = Block(
        text="Item 9A(T). | Controls and Procedures",
        kind="table",
        cells=(("Item 9A(T).", "Controls and Procedures"),),
    )
    found = items_of(
        "Item 9. | Changes in and Disagreements with Accountants",
        "None.",
        row,
        PROSE,
        "| Item 9B. | Other Information",
        "None.",
    )
    assert found["9A"] == f"{row.text}\n\n{PROSE}"
    assert list(found) == ["9", "9A", "9B"]


@pytest.mark.parametrize(
    "heading",
    ["Item 7.", "ITEM 7:", "Item 7 -", "Item\xa07.", "Item 7 —", "ITEM  7", "PART II, Item 7."],
)
def test_accepts_any_punctuation_and_whitespace_of_a_number(heading):
    found = titles_of(
        "Item 6. Selected Financial Data",
        PROSE,
        f"{heading} Management's Discussion and Analysis",
        PROSE,
        "Item 8. Financial Statements",
        PROSE,
    )
    assert found["7"] == "Management's Discussion and Analysis"


def test_cuts_a_heading_with_text_at_its_title():
    found = titles_of(
        f"Item 1. Business {PROSE}",
        f"Item 2. Properties. {PROSE}",
        "Item 3. Legal Proceedings. None.",
        "Item 4. Mine Safety Disclosures Not applicable.",
    )
    assert found == {
        "1": "Business",
        "2": "Properties",
        "3": "Legal Proceedings",
        "4": "Mine Safety Disclosures",
    }


def test_title_extends_over_a_second_line():
    found = items_of(
        "Item 1. Business", PROSE, "Item 2. Properties", PROSE,
        "Item 5. Market for the Registrant's Common Stock and Related", "Stockholder Matters",
        PROSE, "Item 9. Disagreements on Accounting and Financial", "Disclosure", "None.",
    )  # fmt: skip
    titles = titles_of(*"\n\n".join(found.values()).split("\n\n"))
    assert titles["2"] == "Properties"
    assert titles["5"] == "Market for the Registrant's Common Stock and Related Stockholder Matters"
    assert titles["9"] == "Disagreements on Accounting and Financial Disclosure"


def test_keeps_an_unknown_title_whole():
    found = titles_of(
        "ITEM 12. SECURITY OWNERSHIP",
        PROSE,
        "ITEM 13. ARRANGEMENTS WITH NAMED EXECUTIVE OFFICERS",
        PROSE,
        "ITEM 14. EXHIBITS",
        PROSE,
    )
    assert found["13"] == "ARRANGEMENTS WITH NAMED EXECUTIVE OFFICERS"


def test_reserved_items_are_items():
    found = titles_of(
        "Item 5. Market for Common Equity",
        PROSE,
        "Item 6. [Reserved]",
        "Item 7. Management's Discussion and Analysis",
        PROSE,
    )
    assert found["6"] == "[Reserved]"


def test_finds_headings_inside_the_line_of_a_flattened_text():
    text = (
        "10-K 1 spg.htm Table of Contents FORM 10-K ANNUAL REPORT 4 Table of Contents Part I "
        "Item 1. Business Acme makes widgets. For strategies see Item 7, “Management’s Discussion "
        "and Analysis” of this Form 10-K. We follow Item 101 of Regulation S-K. 10 Table of "
        "Contents Item 1A. Risk Factors The following factors could matter, as Part II, Item 9A. "
        "Controls and Procedures says. Item 1B. Unresolved Staff Comments None. Item 2. Properties "
        "Our land is in Ohio. 48 Table of Contents Part II Item 5. Market for the Registrant’s "
        "Common Equity Acme is listed. SIGNATURES Pursuant to the requirements of Section 13"
    )
    found = items_of(text)
    assert list(found) == ["1", "1A", "1B", "2", "5"]
    assert found["1B"] == "Item 1B. Unresolved Staff Comments None."
    assert found["2"] == "Item 2. Properties Our land is in Ohio."
    assert found["5"].endswith("Acme is listed.")


def test_finds_a_heading_glued_to_a_sentence():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 1B. Unresolved Staff Comments",
        "None. Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        "None.",
    )
    assert found["1B"].endswith("None.")
    assert found["2"].startswith("Item 2. Properties")


def test_letter_in_parentheses_is_an_item_only_with_its_title():
    found = titles_of(
        "Item 1(a). General Development of Business",
        "Item 7. Management's Discussion and Analysis",
        PROSE,
        "ITEM 7(A). QUANTITATIVE AND QUALITATIVE DISCLOSURES ABOUT MARKET RISK",
        PROSE,
        "Item 8. Financial Statements",
        PROSE,
    )
    assert list(found) == ["7", "7A", "8"]


# --- what is no heading ---------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "Item 7 of this Form 10-K under the heading \"Net Sales,\" and elsewhere in it.",
        "Item 405 of Regulation S-K is not contained herein.",
        'Item 1, "Business--Governmental Standards". Included among the matters are claims.',
        "Item 7, “Management’s Discussion and Analysis "
        "of Financial Condition and Results of Operations,” says more.",
        "Item 1A is incorporated by reference.",
        "Items 10, 11, 12 and 13)",
        "Items 10, 11, 12 and 13 are incorporated by reference to the proxy statement.",
        "Item 14(a)(1): Financial Statements",
        "items, the replacement of which can be postponed.",
    ],
)  # fmt: skip
def test_line_that_mentions_an_item_is_not_a_heading(line):
    paragraphs = [
        "Item 1. Business",
        PROSE,
        "Item 1A. Risk Factors",
        PROSE,
        "Item 2. Properties",
        PROSE,
        line,
        "Item 3. Legal Proceedings",
        PROSE,
    ]
    assert list(items_of(*paragraphs)) == ["1", "1A", "2", "3"]


def test_merges_continued_headings():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1. Business (Continued)",
        PROSE,
        "Item 1. Business - Continued",
        PROSE,
        "Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found["1"].count(PROSE) == 3
    assert list(found) == ["1", "2", "3"]


def test_merges_running_heads():
    found = items_of(
        "Item 1. Business",
        PROSE,
        "Item 1. Business",
        PROSE,
        "Item 2. Properties",
        PROSE,
        "Item 3. Legal Proceedings",
        PROSE,
    )
    assert found["1"].count(PROSE) == 2


def test_items_of_regulation_ab_end_the_item_before():
    found = items_of(
        "Item 3. Legal Proceedings.",
        "None.",
        "Item 4. Mine Safety Disclosures.",
        "Not applicable.",
        "Item 1112(b) of Regulation AB. Significant Obligors.",
        PROSE,
        "PART II",
        "Item 5. Market for Common Equity",
        PROSE,
    )
    assert list(found) == ["3", "4", "5"]
    assert found["4"] == "Item 4. Mine Safety Disclosures.\n\nNot applicable."


def test_keeps_an_item_out_of_order_found_nowhere_else():
    found = items_of(
        "Item 1. Business.", "Item 1A. Risk Factors.", "Item 2. Properties.",
        "Item 3. Legal Proceedings.", "Item 1B. Unresolved Staff Comments.", "None.",
        "Item 4. Mine Safety Disclosures.", "None.", "Item 5. Market for Common Equity", PROSE,
    )  # fmt: skip
    assert list(found) == ["1", "1A", "2", "3", "1B", "4", "5"]


def test_reads_the_numbering_of_small_business_forms():
    found = titles_of(
        "Item 5. Market for Common Equity",
        PROSE,
        "Item 6. Management's Discussion and Analysis or Plan of Operation",
        PROSE,
        "Item 7. Financial Statements",
        PROSE,
    )
    assert found["6"] == "Management's Discussion and Analysis or Plan of Operation"
    assert found["7"] == "Financial Statements"


def test_text_without_items_gives_none():
    assert items_of("An annual report without headings.", PROSE) == {}
    assert items_of() == {}


# --- where an Item ends ---------------------------------------------------------------


def test_item_ends_before_the_next_part_or_the_signatures():
    found = items_of(
        "PART I",
        "Item 3. Legal Proceedings",
        "None.",
        "Item 4. Mine Safety Disclosures",
        "None.",
        "PART II",
        "Acme Corp. and Subsidiaries",
        "Item 5. Market for Common Equity",
        PROSE,
        "PART III",
        "Part III is incorporated by reference.",
        "PART IV",
        "Item 15. Exhibits",
        PROSE,
        "SIGNATURES",
        "Pursuant to the requirements of Section 13",
    )
    assert found["4"].endswith("None.")
    assert found["5"].endswith(PROSE)
    assert found["15"].endswith(PROSE)


def test_reference_to_a_part_at_the_end_is_text():
    found = items_of(
        "Item 7. Management's Discussion and Analysis",
        PROSE,
        "Item 8. Financial Statements",
        "They are included in Part IV.",
        "Item 9. Disagreements",
        "None.",
    )
    assert found["8"].endswith("They are included in Part IV.")


def test_empty_summary_excludes_the_financial_pages():
    found = items_of(
        "Item 14. Principal Accountant Fees",
        PROSE,
        "Item 15. Exhibits",
        PROSE,
        "Item 16. Form 10-K Summary",
        "None",
        "REPORT OF MANAGEMENT",
        PROSE,
    )
    assert found["16"] == "Item 16. Form 10-K Summary\n\nNone"


# --- a law ----------------------------------------------------------------------------

STYLES = [
    "Item {}. {}",
    "ITEM {} - {}",
    "Item {}: {}",
    "ITEM {}. | {}",
    "Item {}.\n\n{}",
    "Item {} {}",
]
NOISE = [
    PROSE,
    "See Item 7A, “Quantitative and Qualitative Disclosures,” and Item 405 of Regulation S-K.",
    "Item 8 of this report has more.",
    "None.",
    "1999 | 1998\nSales | $12 | $10\nitems sold | 7 | 6",
]


@settings(max_examples=120, deadline=None)
@given(
    chosen=st.lists(st.sampled_from(list(FORM)), min_size=4, unique=True).map(
        lambda items: sorted(items, key=item_order)
    ),
    style=st.sampled_from(STYLES),
    bodies=st.lists(st.sampled_from(NOISE), min_size=len(FORM), max_size=len(FORM)),
    has_contents=st.booleans(),
)
def test_finds_whatever_items_a_filing_has(chosen, style, bodies, has_contents):
    listing = (
        [f"Item {item}. {FORM[item]} | {number + 3}" for number, item in enumerate(chosen)]
        if has_contents
        else []
    )
    sections = [
        f"{style.format(item, FORM[item])}\n\n{body}"
        for item, body in zip(chosen, bodies, strict=False)
    ]
    paragraphs = "\n\n".join(
        ["FORM 10-K", *listing, PROSE, "PART I", *sections, "SIGNATURES"]
    ).split("\n\n")
    found = items_of(*paragraphs)
    assert list(found) == chosen
    assert list(found.values()) == sections


@pytest.mark.parametrize("bold", [0, 1])
def test_of_two_lines_alike_the_bold_one_is_the_heading(bold: int) -> None:
    first, second = (Block(text="Item 2. Properties", is_bold=number == bold) for number in (0, 1))
    found = items_of(
        "Item 1. Business",
        PROSE,
        first,
        "We own mills.",
        second,
        "We rent offices.",
        "Item 3. Legal Proceedings",
    )
    assert ("We own mills." in found["2"]) == (bold == 0)
