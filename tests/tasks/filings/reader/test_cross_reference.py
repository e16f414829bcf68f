"""Items of filings with a cross-reference index instead of headings."""

from __future__ import annotations

import re

import pytest

from tasks.filings.reader.blocks import Block
from tests.tasks.filings.conftest import FORM, PROSE, annual_report, spans_of


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


def test_items_span_overlapping_ranges_of_pages():
    pages = [
        Block(text=text, page=page)
        for page in range(12)
        for text in (f"Page {page + 1}", f"{page + 1}: {PROSE}")
    ]
    for page, title in ((3, "Risk Factors"), (7, "Properties"), (9, "Controls and Procedures")):
        pages[2 * page] = Block(text=title, is_bold=True, page=page)
    rows = [
        ("1", "4-5, 8-12"), ("1A", "4"), ("1B", "Not applicable"), ("2", "8"), ("3", "12"),
        ("7", "2-6, 9, 11-12"), ("7A", "6, 9"), ("8", "5-7, 10"), ("9A", "10"), ("15", "13-20"),
    ]  # fmt: skip
    index = [Block(text=f"Item {item}. {FORM[item]} | {named}", page=12) for item, named in rows]
    found = spans_of(*pages, Block(text="Form 10-K Cross Reference Index", page=12), *index)

    def numbers(item: str) -> list[list[int]]:
        return [[int(page) for page in re.findall(r"(\d+): The", span)] for span in found[item]]

    assert numbers("1") == [[4, 5], [8, 9, 10, 11, 12]]
    assert numbers("7") == [[2, 3, 4, 5, 6], [9], [11, 12]]
    assert numbers("7A") == [[6], [9]]
    assert numbers("8") == [[5, 6, 7], [10]]
    assert numbers("2") == [[8]]
    assert found["1B"] == ["Item 1B. Unresolved Staff Comments | Not applicable"]
