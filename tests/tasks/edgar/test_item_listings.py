"""Tables of contents: runs of rows that list the Items, and runs of short Items that only look like one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tasks.edgar.blocks import Block
from tasks.edgar.items import find_items

FORM = {
    "1": "Business",
    "1A": "Risk Factors",
    "1B": "Unresolved Staff Comments",
    "2": "Properties",
    "3": "Legal Proceedings",
    "4": "Mine Safety Disclosures",
    "5": "Market for Registrant’s Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
    "6": "Selected Financial Data",
    "7": "Management’s Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
    "9": "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
    "9A": "Controls and Procedures",
    "9B": "Other Information",
    "10": "Directors, Executive Officers and Corporate Governance",
    "11": "Executive Compensation",
    "12": "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
    "13": "Certain Relationships and Related Transactions, and Director Independence",
    "14": "Principal Accountant Fees and Services",
    "15": "Exhibits and Financial Statement Schedules",
    "16": "Form 10-K Summary",
}
PROSE = (
    "The Company makes widgets and sells them to distributors, who sell them on to households in most states. "
    "Sales rise in the fourth quarter, and no customer accounts for a tenth of them."
)


def joined(paragraphs: Sequence[str | Block]) -> tuple[list[Block], list[int], str]:
    blocks = [Block(text=paragraph) if isinstance(paragraph, str) else paragraph for paragraph in paragraphs]
    starts, place = [], 0
    for block in blocks:
        starts.append(place)
        place += len(block.text) + 2
    return blocks, starts, "\n\n".join(block.text for block in blocks)


def items_of(*paragraphs: str | Block) -> dict[str, str]:
    """The text of each Item found, by its number, in order of place."""
    blocks, starts, text = joined(paragraphs)
    return {item.item: text[item.start_char : item.end_char] for item in find_items(blocks, starts, text)}


def titles_of(*paragraphs: str | Block) -> dict[str, str]:
    return {item.item: item.title for item in find_items(*joined(paragraphs))}


def contents(page: str = " | {}", link: str = "") -> list[Block]:
    """A table of contents: a row a paragraph, with page numbers, or links, or neither."""
    rows = [
        f"Item {item}. {title}" + page.format(number + 3) for number, (item, title) in enumerate(FORM.items())
    ]
    return [Block(text=row, links=(f"{link}{number}",) if link else ()) for number, row in enumerate(rows)]


BODY = [paragraph for item, title in FORM.items() for paragraph in (f"Item {item}. {title}", PROSE)]


@pytest.mark.parametrize(
    "listing",
    [contents(), contents(" ..... {}"), contents(" K{}"), contents("", "#toc"), contents("")],
    ids=["pages", "leaders", "lettered pages", "links only", "nothing"],
)
def test_a_table_of_contents_is_not_the_filing(listing):
    found = items_of(
        "FORM 10-K", "Table of Contents", *listing, "Signatures | 90", PROSE, "PART I", *BODY, "SIGNATURES"
    )
    assert list(found) == list(FORM)
    assert all(text == f"Item {item}. {FORM[item]}\n\n{PROSE}" for item, text in found.items())


def test_a_table_of_contents_with_sub_headings_is_not_the_filing():
    listing = [line for row in contents() for line in (row, "Overview | 3", "Outlook | 4")]
    found = items_of("Page", *listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_a_table_of_contents_in_one_table_is_not_the_filing():
    listing = Block(text="\n".join(row.text for row in contents()), kind="table", cells=(("Item",),))
    found = items_of("Index", listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_short_answers_in_a_row_are_no_table_of_contents():
    answers = [
        paragraph
        for item, title in FORM.items()
        for paragraph in (f"Item {item}. {title}", "Not applicable.")
    ]
    found = items_of("Contents", *contents(), "PART I", *answers)
    assert list(found.values()) == [
        f"Item {item}. {title}\n\nNot applicable." for item, title in FORM.items()
    ]


def test_headings_that_link_back_to_the_contents_are_no_contents():
    answers = [
        block
        for item in FORM
        for block in (
            Block(text=f"Item {item}. {FORM[item]}", links=("#toc",)),
            Block(text="See the proxy statement."),
        )
    ]
    found = items_of("Contents", *contents(), "PART I", *answers)
    assert [text.count("proxy statement") for text in found.values()] == [1] * len(FORM)


def test_headings_without_text_of_their_own_are_items():
    found = items_of(
        "Item 9. Disagreements",
        PROSE,
        *(f"Item {item}: {FORM[item]}" for item in ("10", "11", "12", "13")),
        PROSE,
        "Item 14: Exhibits",
        PROSE,
    )
    assert list(found) == ["9", "10", "11", "12", "13", "14"]
    assert found["10"] == f"Item 10: {FORM['10']}"
