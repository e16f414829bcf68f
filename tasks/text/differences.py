"""What is different between two wordings, word by word, for a reader's eyes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["kept", "removed", "added"]

# A word keeps its inner marks, so that a changed figure is shown whole: `1,234.5`, `year-end`.
_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that both wordings have, or only the old or the new one."""

    kind: Kind
    text: str


def word_differences(old: str, new: str) -> list[Piece]:
    """Two wordings as one list of pieces, what was removed before what took its place.

    The old text is all that is kept or removed, the new one all that is kept or added. Meant for a query or a
    paragraph: the time grows with the square of the number of words.
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
            pieces += [Piece(kind, text) for kind, text in (("removed", removed), ("added", added)) if text]  # type: ignore[arg-type]
    return _without_lone_blanks(pieces)


def _without_lone_blanks(pieces: list[Piece]) -> list[Piece]:
    """Changes with only a blank between them as one: `[-a b-]{+c d+}`, not a change for every word."""
    joined: list[Piece] = []
    removed = added = ""
    for place, piece in enumerate(pieces):
        is_blank_between = piece.kind == "kept" and not piece.text.strip() and 0 < place < len(pieces) - 1
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
