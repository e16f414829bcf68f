"""Spans of Items in damaged filings: inside the text, in order, never empty."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.rows import Item
from tasks.filings.reader.blocks import Block
from tasks.filings.reader.items import find_items, tidied
from tests.tasks.filings.conftest import FORM, PROSE, annual_report, cut_out, joined


def faults(items: Sequence[Item], text: str) -> list[str]:
    """Return what is wrong with Items, as in `sql/checks/items_lie_in_their_document.sql`."""
    found = [
        f"{item} is outside"
        for item in items
        if not 0 <= item.start_char < item.end_char <= len(text)
    ]
    for position, item in enumerate(items):
        for other in items[position + 1 :]:
            if other.start_char < item.start_char:
                found.append(f"{item} comes after {other}")
            if other.item == item.item and other.start_char < item.end_char:
                found.append(f"{item} overlaps {other}")
    return found


def item(number: str, start: int, end: int) -> Item:
    return Item(item=number, title="", start_char=start, end_char=end)


@given(
    st.lists(
        st.builds(item, st.sampled_from(list(FORM)), st.integers(-3, 25), st.integers(-3, 25))
    ),
    st.text("ab \n", max_size=20),
)
def test_tidied_is_idempotent_for_any_spans(items, text):
    tidy = tidied(items, text)
    assert not faults(tidy, text)
    assert tidied(tidy, text) == tidy


PIECES = [
    *annual_report(linked=True),
    *annual_report(linked=False, offset=4),
    *(
        Block(text=f"{written} {title} | {page}-{page + 3}", page=9)
        for page, (number, title) in enumerate(FORM.items())
        for written in (f"Item {number}.", f"{number}.")
    ),
    *(Block(text=title, page=page) for page, title in enumerate(FORM.values())),
    Block(text="Items 1 and 2. Business and Properties | Pages 1-4", page=3),
    Block(text="Items 10 through 13. Directors | Pages 2-8", page=3),
    Block(text="PART II"),
    Block(text="SIGNATURES"),
    Block(text=PROSE),
]


@settings(max_examples=250)
@given(
    st.lists(
        st.tuples(st.integers(0, len(PIECES)), st.integers(1, 24), st.integers(0, 3)),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 3_000),
    st.integers(0, 2_000),
)
def test_items_of_assembled_filings_are_ordered(runs, begin, length):
    blocks: list[Block] = []
    page = 0
    for first, n_blocks, breaks in runs:
        page += breaks
        blocks += [
            Block(
                text=piece.text, page=page + number // 3, links=piece.links, anchors=piece.anchors
            )
            for number, piece in enumerate(PIECES[first : first + n_blocks])
        ]
        page = blocks[-1].page if blocks else page
    blocks, starts, text = joined(cut_out(blocks, begin, begin + length))
    items = find_items(blocks, starts, text)
    assert not faults(items, text)
