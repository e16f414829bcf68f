"""Tables of contents, and runs of short Items that only look like one."""

from __future__ import annotations

import pytest

from tasks.filings.reader.blocks import Block
from tests.tasks.filings.conftest import FORM, PROSE, items_of


def contents(page: str = " | {}", link: str = "") -> list[Block]:
    """Return a table of contents, one row per paragraph, with page numbers, links or neither."""
    rows = [
        f"Item {item}. {title}" + page.format(number + 3)
        for number, (item, title) in enumerate(FORM.items())
    ]
    return [
        Block(text=row, links=(f"{link}{number}",) if link else ())
        for number, row in enumerate(rows)
    ]


BODY = [paragraph for item, title in FORM.items() for paragraph in (f"Item {item}. {title}", PROSE)]


@pytest.mark.parametrize(
    "listing",
    [contents(), contents(" ..... {}"), contents(" K{}"), contents("", "#toc"), contents("")],
    ids=["pages", "leaders", "lettered pages", "links only", "nothing"],
)
def test_table_of_contents_is_not_the_filing(listing):
    found = items_of(
        "FORM 10-K",
        "Table of Contents",
        *listing,
        "Signatures | 90",
        PROSE,
        "PART I",
        *BODY,
        "SIGNATURES",
    )
    assert list(found) == list(FORM)
    assert all(text == f"Item {item}. {FORM[item]}\n\n{PROSE}" for item, text in found.items())


def test_table_of_contents_with_sub_headings_is_not_the_filing():
    listing = [line for row in contents() for line in (row, "Overview | 3", "Outlook | 4")]
    found = items_of("Page", *listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_table_of_contents_in_one_table_is_not_the_filing():
    listing = Block(
        text="\n".join(row.text for row in contents()), kind="table", cells=(("Item",),)
    )
    found = items_of("Index", listing, "PART I", *BODY)
    assert [text.count(PROSE) for text in found.values()] == [1] * len(FORM)


def test_short_answers_are_not_a_table_of_contents():
    answers = [
        paragraph
        for item, title in FORM.items()
        for paragraph in (f"Item {item}. {title}", "Not applicable.")
    ]
    found = items_of("Contents", *contents(), "PART I", *answers)
    assert list(found.values()) == [
        f"Item {item}. {title}\n\nNot applicable." for item, title in FORM.items()
    ]


def test_headings_linked_to_the_contents_are_not_contents():
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
