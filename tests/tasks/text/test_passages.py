"""Quotations are shown in their paragraphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.text.passages import passages

TEXT = "Item 7.\n\nSales rose. They rose by 5 %. Costs fell.\n\nNothing else happened."


def span(quotation: str, text: str = TEXT) -> tuple[int, int]:
    start = text.index(quotation)
    return start, start + len(quotation)


def test_marks_a_quotation_in_its_paragraph() -> None:
    (passage,) = passages(TEXT, [span("They rose by 5 %.")])
    assert passage == (
        TEXT.index("Sales"),
        [("plain", "Sales rose. "), ("quoted", "They rose by 5 %."), ("plain", " Costs fell.")],
    )


def test_leaves_out_text_far_from_any_quotation() -> None:
    text = "a" * 1000 + "FIRST" + "b" * 1000 + "LAST" + "c" * 1000
    ((_, parts),) = passages(text, [span("FIRST", text), span("LAST", text)], around=10)
    assert [(kind, len(part)) for kind, part in parts] == [
        ("left_out", 990),
        ("plain", 10),
        ("quoted", 5),
        ("plain", 10),
        ("left_out", 980),
        ("plain", 10),
        ("quoted", 4),
        ("plain", 10),
        ("left_out", 990),
    ]


@given(st.text(alphabet="ab \n", min_size=1, max_size=60), st.data())
def test_parts_cover_the_passage_and_mark_every_quoted_character(
    text: str, data: st.DataObject
) -> None:
    places = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
    spans = [each for each in data.draw(st.lists(places, max_size=4)) if each[0] < each[1]]
    quoted: set[int] = set()
    end = 0
    for start, parts in passages(text, spans, around=3):
        assert start >= end  # no character is shown twice
        end = start
        for kind, part in parts:
            assert text[end : end + len(part)] == part
            if kind == "quoted":
                quoted.update(range(end, end + len(part)))
            end += len(part)
    assert quoted == {place for first, last in spans for place in range(first, last)}
