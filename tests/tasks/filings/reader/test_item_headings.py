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
