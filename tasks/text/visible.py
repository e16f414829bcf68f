"""Characters that hide, or turn the text around them, as marks that can be read.

A model's answer can hold what a reader does not see and what makes a line read otherwise than it is stored: zero-width
and direction marks, control characters, blank letters. On the page each stands as `⟨U+202E⟩`.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache

# Blank, although Unicode counts them as letters or symbols.
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_SHOWN_AS_IT_IS = "\t"
# Where Unicode has such characters; the planes between hold ideographs and nothing else.
_SEARCHED = (range(0x20000), range(0xE0000, 0xE1000))
# Controls, formatting marks (zero-width, direction, tags), halves of characters, line and paragraph separators.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """The text with every hidden character spelled out; `\\r\\n` and `\\r` are line ends."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # most lines hold nothing that hides, and Python sees that ten times as fast as an expression does
    return "\n".join(
        line if line.isascii() and line.isprintable() else _hidden().sub(_spelled, line) for line in lines
    )


def _spelled(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


@cache
def _hidden() -> re.Pattern[str]:
    codes = map(chr, itertools.chain(*_SEARCHED))
    hidden = [
        char
        for char in codes
        if (unicodedata.category(char) in _HIDDEN or char in _BLANK_LETTERS) and char != _SHOWN_AS_IT_IS
    ]
    return re.compile(f"[{re.escape(''.join(hidden))}]")
