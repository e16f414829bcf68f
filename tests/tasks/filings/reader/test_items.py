"""Items by case: headings as filers write them, lookalikes, and ends of Items."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.filings.reader.item_titles import item_order
from tests.tasks.filings.conftest import FORM, PROSE, annual_report, items_of, spans_of

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


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "page numbers only"])
def test_index_leads_to_the_sections(linked):
    found = spans_of(*annual_report(linked))
    story, discussion, factors, properties, statements, controls, exhibits = (
        f"{section}\n\n{section}: {PROSE}"
        for section in (
            "Our Story", "Management's Discussion and Analysis", "Risk Factors", "Properties",
            "Statements", "Controls and Procedures", "Exhibits",
        )
    )  # fmt: skip
    assert found["1"] == [story]  # pages 1-2, but the discussion starts on page 2
    assert found["7"] == [discussion]
    assert found["1A"] == [factors]
    assert found["2"] == [story, properties]  # pages 1 and 4
    assert found["8"] == [statements]  # pages 5-6; ends where 9A starts
    assert found["9A"] == [controls]
    assert found["15"] == [f"{statements}\n\n{controls}\n\n{exhibits}"]  # pages 5-6, 7
    assert {"1B", "3", "11"} < set(found)
