"""Hidden characters, spelled out."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from tasks.report.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "plain [text]\n\twith a tab — and “quotes”, naïve 日本語 🙂",
            "plain [text]\n\twith a tab — and “quotes”, naïve 日本語 🙂",
        ),
        ("\x1b[2J", "⟨U+001B⟩[2J"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("5\u202e0", "5⟨U+202E⟩0"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("blank\u3164letter", "blank⟨U+3164⟩letter"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("", ""),
    ],
)
def test_a_hidden_character_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_no_control_character_and_no_formatting_mark_is_left() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    left = {unicodedata.category(char) for char in visible(every) if char not in "\n\t"}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert {"Lu", "Nd", "Sc", "Zs"} <= left
