from __future__ import annotations

import sys
import unicodedata

import pytest

from tasks.text.visible import visible


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines\tand a tab", "Größe — “naïve” 北京 €", "e\u0301"]
)
def test_keeps_readable_characters(text: str) -> None:
    assert visible(text) == text


def test_spells_out_every_control_and_format_character() -> None:
    for char in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\t\n\r":
            assert visible(f"a{char}b") == f"a⟨U+{ord(char):04X}⟩b"
