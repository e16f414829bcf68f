from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.text.visible import defused, restored, visible


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines\tand a tab", "Größe — “naïve” 北京 €", "e\u0301"]
)
def test_keeps_readable_characters(text: str) -> None:
    assert visible(text) == text


def test_spells_out_every_control_and_format_character() -> None:
    for char in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\t\n\r":
            assert visible(f"a{char}b") == f"a⟨U+{ord(char):04X}⟩b"


@given(st.sampled_from(["", "=", "+", "-", "@", "\t", "'", "'="]), st.text())
def test_no_cell_starts_a_formula_and_each_reads_back(start: str, rest: str) -> None:
    text = start + rest
    assert restored(defused(text)) == text
    assert not defused(text).startswith(("=", "+", "-", "@", "\t"))
