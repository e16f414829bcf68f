"""Items by case: headings as filers write them, lookalikes, and ends of Items."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.filings.reader.item_headings import item_numbers
from tasks.filings.reader.item_titles import item_order
from tests.tasks.filings.conftest import FORM, PROSE, items_of

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


# --- what is no heading ---------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "Item 7 of this Form 10-K under the heading \"Net Sales,\" and elsewhere in it.",
        'Item 1, "Business--Governmental Standards". Included among the matters are claims.',
        "Item 7, “Management’s Discussion and Analysis "
        "of Financial Condition and Results of Operations,” says more.",
        "Items 10, 11, 12 and 13 are incorporated by reference to the proxy statement.",
        "Item 14(a)(1): Financial Statements",
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
