from __future__ import annotations

import sys
import unicodedata

import pytest

from tasks.text.visible import visible


@pytest.mark.parametrize(
    ("hidden", "code"),
    [
        ("\u202e", "202E"),
        ("\x85", "0085"),
    ],
)
def test_hidden_character_is_spelled_out(hidden: str, code: str) -> None:
    assert visible(f"a{hidden}b") == f"a⟨U+{code}⟩b"


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines\tand a tab", "Größe — “naïve” 北京 €", "e\u0301"]
)
def test_keeps_readable_characters(text: str) -> None:
    assert visible(text) == text


def test_spells_out_every_control_and_format_character() -> None:
    hidden = "".join(
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\t\n\r"
    )
    assert not set(visible(hidden)) & set(hidden)
