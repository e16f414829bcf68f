"""Patterns tried at few lines find what `finditer` finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tasks.filings.reader.item_headings import matches_at_line_starts

ITEM = re.compile(r"^[^\w\n]{0,12}items?\s*(\d+)", re.IGNORECASE | re.MULTILINE)
PART_LINE = re.compile(r"^[^\w\n]{0,6}part\s+(i{1,3}|iv)\b[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
OVER_LINES = re.compile(r"^[^\w\n]{0,12}item\s*\d+\s+item\s*\d+", re.IGNORECASE | re.MULTILINE)

PIECES = [
    "Item 1", "ITEMS 12", "item\n7", "Part II", "PART IV", "part", "\n", "\n\n", " ", "\t", ". ",
    "| ", "“", "_", "* * * * * * ", "\r", "\x0b", "\u2028", "\u00a0", "1", "İtem 1", "prose ",
]  # fmt: skip


def found(matches):
    return [(match.span(), match.groups()) for match in matches]


def test_match_begins_at_the_start_or_after_a_line_end():
    text = "Item 1 and Item 2\n  | Item 3\nSee Item 4\nItem 5"
    assert [match[1] for match in matches_at_line_starts(ITEM, text)] == ["1", "3", "5"]


def test_at_most_twelve_characters_precede_the_word():
    text = "\n" + "*" * 12 + "Item 1\n" + "*" * 13 + "Item 2"
    assert [match[1] for match in matches_at_line_starts(ITEM, text)] == ["1"]


def test_range_matches_only_at_real_line_starts():
    text = "x Item 1\nItem 2\nItem 3"
    assert [match[1] for match in matches_at_line_starts(ITEM, text, 2)] == ["2", "3"]
    assert [match[1] for match in matches_at_line_starts(ITEM, text, 9)] == ["2", "3"]
    assert [match[1] for match in matches_at_line_starts(ITEM, text, 10)] == ["3"]
    assert [match[1] for match in matches_at_line_starts(ITEM, text, 0, len(text) - 1)] == ["2"]


def test_matches_never_overlap():
    text = "Item 1\nItem 2\nItem 3\nItem 4"
    assert [match[0] for match in matches_at_line_starts(OVER_LINES, text)] == [
        "Item 1\nItem 2",
        "Item 3\nItem 4",
    ]


@pytest.mark.parametrize(
    "pattern", [ITEM, PART_LINE, OVER_LINES], ids=["item", "part", "over lines"]
)
@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.integers(0, 80),
    st.integers(0, 120),
)
@example("Part II\nItem 1\nItem 2", 0, 120)
def test_matches_equal_finditer(pattern, text, begin, length):
    assert found(matches_at_line_starts(pattern, text)) == found(pattern.finditer(text))
    ours = found(matches_at_line_starts(pattern, text, begin, begin + length))
    assert ours == found(pattern.finditer(text, begin, begin + length))
