"""Find a passage of a text in a copy with errors, such as a scan.

Words that survived unchanged vote: each says how far the passage is shifted in the copy, for every
place where the copy has that word. Stray votes disagree with each other; true ones agree.
"""

from __future__ import annotations

import re
from bisect import bisect_right

Span = tuple[int, int]

# How far from its expected place we look for a passage, since a copy loses or gains characters.
_NEAR_CHARS = 1_500
_NEAR_SHARE = 0.02  # of the text before it
# Characters that may be lost or gained inside the passage.
_DRIFT_CHARS = 20
_DRIFT_SHARE = 0.1  # of the passage
_FEWEST_AGREE = 0.2  # of the passage's words

_WORD = re.compile(r"\w{3,}")


def counterpart(text: str, span: Span, copy: str) -> Span | None:
    """Return the span of a copy that matches a span of the text, within a few words, or None.

    The copy must be of the whole text, in the same order.
    """
    start, end = span
    words = list(_WORD.finditer(text, start, end))
    if not words:
        return None
    scale = len(copy) / len(text)
    slack = int(_NEAR_CHARS + _NEAR_SHARE * start)
    places: dict[str, list[int]] = {}
    for word in _WORD.finditer(copy, max(0, int(start * scale) - slack), int(end * scale) + slack):
        places.setdefault(word[0], []).append(word.start())
    # (shift, number of the word): how far each word of the passage may be moved
    votes = sorted(
        (place - word.start(), number)
        for number, word in enumerate(words)
        for place in places.get(word[0], ())
    )
    agreeing = _most_agreeing(votes, _DRIFT_CHARS + _DRIFT_SHARE * (end - start))
    if len({number for _, number in agreeing}) < max(2, _FEWEST_AGREE * len(words)):
        return None
    # before the first surviving word and after the last, we assume that errors keep the length
    first, last = min(agreeing, key=lambda vote: vote[1]), max(agreeing, key=lambda vote: vote[1])
    begin, past = max(0, start + first[0]), min(end + last[0], len(copy))
    found = copy[begin:past]
    return begin + len(found) - len(found.lstrip()), past - len(found) + len(found.rstrip())


def _most_agreeing(votes: list[tuple[int, int]], drift: float) -> list[tuple[int, int]]:
    """Return the longest run of sorted votes that differ by at most `drift`."""
    best: list[tuple[int, int]] = []
    for place, (shift, _) in enumerate(votes):
        past = bisect_right(votes, shift + drift, key=lambda vote: vote[0])
        if past - place > len(best):
            best = votes[place:past]
    return best
