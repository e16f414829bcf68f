"""Spell out characters that hide, or that change how the text around them reads.

A model's answer can hold zero-width and direction marks, control characters and blank letters.
Readers do not see them, or read a line otherwise than it is stored. The page shows `⟨U+202E⟩`.
"""

from __future__ import annotations

import re
import unicodedata

# Blank, although Unicode counts them as letters or symbols.
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
# Controls, formatting marks, surrogates, line separators, paragraph separators.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_SELDOM = re.compile(r"[^ -~\t\n]")  # few characters need a look


def visible(text: str) -> str:
    """Spell out every hidden character of a text; `\\r\\n` and `\\r` are line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() and text.isprintable() else _SELDOM.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    char = match[0]
    is_hidden = unicodedata.category(char) in _HIDDEN or char in _BLANK_LETTERS
    return f"⟨U+{ord(char):04X}⟩" if is_hidden else char


_FORMULA = tuple("=+-@\t\r'")


def defused(text: str) -> str:
    """Escape a text as a cell that no spreadsheet runs."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def restored(cell: str) -> str:
    """Return the text of a cell that `defused` may have escaped."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell
