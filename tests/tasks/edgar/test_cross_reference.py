"""Items of filings that have a cross-reference index in place of headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tasks.edgar.blocks import Block
from tasks.edgar.cross_reference import page_ranges
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


def annual_report(linked: bool, offset: int = 1) -> list[Block]:
    """A report in ten pages with sections of its own, and an index on the last."""
    sections = ["Our Story", "Management's Discussion and Analysis", "Risk Factors", "Properties", "Statements", "Controls and Procedures", "Exhibits"]  # fmt: skip
    blocks = [Block(text="FORM 10-K")]
    for number, section in enumerate(sections):
        page = number + 1 + offset
        blocks.append(Block(text=section, is_bold=True, page=page, anchors=(f"#s{number}",)))
        blocks.append(Block(text=f"{section}: {PROSE}", page=page))
    blocks.append(Block(text="Form 10-K Cross-Reference Index", page=8 + offset))
    rows = [("1", "Pages 1, 1-2", 0), ("1A", "Page 3", 2), ("1B", "None", None), ("2", "Pages 1, 4", 3), ("3", "Not applicable", None), ("7", "Pages 2", 1), ("8", "Pages 5-6", 4), ("9A", "Page 6", 5), ("11", "(a)", None), ("15", "Pages 5-6, 7", 6)]  # fmt: skip
    for item, pages, target in rows:
        links = (f"#s{target}",) if linked and target is not None else ()
        blocks.append(Block(text=f"Item {item}. {FORM[item]} | {pages}", page=8 + offset, links=links))
    return [*blocks, Block(text="(a) Incorporated by reference to the proxy statement.", page=8 + offset)]


def test_an_index_whose_rows_lack_the_word_item_is_read():
    blocks = [
        Block(text=re.sub(r"^Item (\w+)\.", r"\1. |", block.text), page=block.page, anchors=block.anchors)
        for block in annual_report(linked=False)
    ]
    found = items_of(*blocks)
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["1B"] == "1B. | Unresolved Staff Comments | None"
    assert len(found) == 10


def test_a_few_lines_like_headings_do_not_hide_an_index():
    report = annual_report(linked=True)
    found = items_of(
        report[0], "Item 1A. Risk Factors", "Item 7. Management's Discussion and Analysis", *report[1:]
    )
    assert found["9A"].startswith("Controls and Procedures")
    assert len(found) == 10


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "page numbers only"])
def test_an_index_leads_to_the_sections(linked):
    found = items_of(*annual_report(linked))
    assert found["1"] == f"Our Story\n\nOur Story: {PROSE}"  # by the longest range: no section has the title
    assert found["7"].startswith("Management's Discussion and Analysis\n\n")
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["2"].startswith("Properties\n\n")  # the page that has the title, not the first one named
    assert found["8"] == f"Statements\n\nStatements: {PROSE}"  # by its pages; ends where 9A starts
    assert found["15"].startswith("Exhibits\n\n")
    assert list(found) == ["1", "7", "1A", "2", "8", "9A", "15", "1B", "3", "11"]


def test_items_that_an_index_maps_to_no_page_are_their_rows():
    found = items_of(*annual_report(linked=True))
    assert found["1B"] == "Item 1B. Unresolved Staff Comments | None"
    assert found["11"] == "Item 11. Executive Compensation | (a)"
    titles = titles_of(*annual_report(linked=True))
    assert titles["1"] == "Business"
    assert titles["11"] == "Executive Compensation"


def test_an_item_of_an_index_ends_with_its_pages():
    found = items_of(*annual_report(linked=True))
    assert "Exhibits" in found["15"]
    assert "Cross-Reference" not in found["15"]


def test_an_index_that_leads_nowhere_gives_its_rows():
    rows = [
        Block(text=f"Item {item}. {title} | {page + 30}") for page, (item, title) in enumerate(FORM.items())
    ]
    found = items_of("Annual report", PROSE, *rows)
    assert list(found) == list(FORM)
    assert found["1A"] == "Item 1A. Risk Factors | 31"


def test_sections_are_found_by_title_where_a_text_has_no_page_breaks():
    report = [Block(text=block.text) for block in annual_report(linked=False)]
    assert "Item 1B." not in items_of(*report)["15"]
    found = items_of(*report[-12:], *report[:-12])
    assert found["1A"] == f"Risk Factors\n\nRisk Factors: {PROSE}"
    assert found["9A"].startswith("Controls and Procedures\n\n")
    assert found["1B"].startswith("Item 1B.")


def test_pages_are_read_from_an_index_row_and_dates_are_not_pages():
    assert page_ranges(" | Pages 3-9, 20") == [(3, 9), (20, 20)]
    assert page_ranges("\nSection 13(r) of the Securities Exchange Act of 1934 | Page 69") == [(69, 69)]
    assert page_ranges("Form 10-K Summary | None") == []
    assert page_ranges("(a)") == []
