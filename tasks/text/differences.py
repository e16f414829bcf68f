"""Compare two wordings word by word, for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

Piece = tuple[Literal["kept", "removed", "added"], str]

# A word includes its inner punctuation, so that a changed figure is shown whole: `1,234.5`.
_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*|\s+|[^\w\s]")


def word_differences(old: str, new: str) -> list[Piece]:
    """Return the pieces of two wordings, with removed text before what replaced it.

    Kept and removed pieces make up the old text, kept and added ones the new text. Time grows with
    the square of the number of words, so this suits queries and paragraphs.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    changes = SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes()
    pieces: list[Piece] = []
    removed = added = ""
    for place, (_, start, end, new_start, new_end) in enumerate(changes):
        was, now = "".join(before[start:end]), "".join(after[new_start:new_end])
        # changes with only whitespace between them are one: `[-a b-]{+c d+}`
        is_between = not was.strip() and 0 < place < len(changes) - 1
        if was == now and not is_between:
            pieces += [*_change(removed, added), ("kept", was)]
            removed = added = ""
        else:
            removed, added = removed + was, added + now
    return [*pieces, *_change(removed, added)]


def _change(removed: str, added: str) -> Iterator[Piece]:
    if removed:
        yield "removed", removed
    if added:
        yield "added", added
