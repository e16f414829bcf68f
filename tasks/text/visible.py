"""Spell out characters that hide, or that change how the text around them reads.

A model's answer can hold zero-width and direction marks, control characters and blank letters.
Readers do not see them, or read a line otherwise than it is stored. The page shows `⟨U+202E⟩`.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache

# Blank, although Unicode counts them as letters or symbols.
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
# Code points with such characters; the planes between hold only ideographs.
_SEARCHED = (range(0x20000), range(0xE0000, 0xE1000))
# Controls, formatting marks, surrogates, line separators, paragraph separators.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """Spell out every hidden character of a text; `\\r\\n` and `\\r` are line ends."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # most lines hide nothing, and isprintable() is ten times faster than the expression
    return "\n".join(
        line if line.isascii() and line.isprintable() else _hidden().sub(_spelled, line)
        for line in lines
    )


def _spelled(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


@cache
def _hidden() -> re.Pattern[str]:
    codes = map(chr, itertools.chain(*_SEARCHED))
    hidden = [
        char
        for char in codes
        if (unicodedata.category(char) in _HIDDEN or char in _BLANK_LETTERS) and char != "\t"
    ]
    return re.compile(f"[{re.escape(''.join(hidden))}]")
