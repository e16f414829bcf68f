"""Correction of mistyped queries with the document's words: split, joined and misspelled words.

Only words that the document lacks are changed, and only if one of its words is close. Real words
in the wrong place stay.
"""

from __future__ import annotations

import re
from collections.abc import Set

from tasks.text.retrieval import Index
from tasks.text.terms import STOP_WORDS, stem

_PIECE = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")
_SHORTEST_GLUED = 6


def respelled(query: str, index: Index, known: Set[str]) -> str:
    """Replace unknown words of a query by words of the document; `known` are stems that stay."""
    pieces = _joined(_PIECE.findall(query), index)
    return "".join(
        _mended(piece, index) if piece[0].isalpha() and stem(piece) not in known else piece
        for piece in pieces
    )


def _is_word(piece: str, index: Index) -> bool:
    return piece.lower() in STOP_WORDS or index.knows(stem(piece))


def _joined(pieces: list[str], index: Index) -> list[str]:
    """Join words that were split, such as `opt ions`: a half is no word, and the whole is one."""
    joined: list[str] = []
    for piece in pieces:
        is_after_blank = len(joined) >= 2 and joined[-1] == " " and joined[-2][0].isalpha()
        if is_after_blank and piece[0].isalpha():
            whole = joined[-2] + piece
            is_torn = (
                not (_is_word(piece, index) and _is_word(joined[-2], index))
                or min(len(piece), len(joined[-2])) < 3
            )
            is_known = len(whole) > 4 and index.knows(stem(whole))
            if is_torn and (is_known or whole.lower() in STOP_WORDS):
                joined[-2:] = [whole]
                continue
        joined.append(piece)
    return joined


def _mended(word: str, index: Index) -> str:
    """Correct `ofrevenue` to `of revenue`, `consolodated` to the document's `consolidat`."""
    if _is_word(word, index):
        return word
    if len(word) >= _SHORTEST_GLUED:
        for cut in range(2, len(word) - 1):
            left, right = word[:cut], word[cut:]
            if _is_word(left, index) and _is_word(right, index) and max(len(left), len(right)) > 3:
                return f"{left} {right}"
    return index.nearest(stem(word)) or word
