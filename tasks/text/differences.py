"""Compare two wordings word by word, for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["kept", "removed", "added"]

# A word includes its inner punctuation, so that a changed figure is shown whole: `1,234.5`.
_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that both wordings have, or only the old or only the new one."""

    kind: Kind
    text: str


def word_differences(old: str, new: str) -> list[Piece]:
    """Return the pieces of two wordings, with removed text before what replaced it.

    Kept and removed pieces make up the old text, kept and added ones the new text. Time grows with
    the square of the number of words, so this suits queries and paragraphs.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    pieces: list[Piece] = []
    for _, start, end, new_start, new_end in SequenceMatcher(
        str.isspace, before, after, autojunk=False
    ).get_opcodes():
        removed, added = "".join(before[start:end]), "".join(after[new_start:new_end])
        if removed == added:
            pieces.append(Piece("kept", removed))
        else:
            changed = [Piece("removed", removed), Piece("added", added)]
            pieces += [piece for piece in changed if piece.text]
    return _without_lone_blanks(pieces)


def _without_lone_blanks(pieces: list[Piece]) -> list[Piece]:
    """Join changes with only whitespace between them: `[-a b-]{+c d+}`."""
    joined: list[Piece] = []
    removed = added = ""
    for place, piece in enumerate(pieces):
        is_blank_between = (
            piece.kind == "kept" and not piece.text.strip() and 0 < place < len(pieces) - 1
        )
        if piece.kind == "kept" and not is_blank_between:
            joined += [*_change(removed, added), piece]
            removed = added = ""
            continue
        removed += piece.text if piece.kind != "added" else ""
        added += piece.text if piece.kind != "removed" else ""
    return [*joined, *_change(removed, added)]


def _change(removed: str, added: str) -> Iterable[Piece]:
    if removed:
        yield Piece("removed", removed)
    if added:
        yield Piece("added", added)
