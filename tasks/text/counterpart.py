"""Where a passage of a text stands in a copy of it with errors, such as a scan.

Words that came through unharmed vote: each says by how far the passage is moved in the copy, wherever the copy has
that word. Stray votes disagree with each other, true ones agree.
"""

from __future__ import annotations

import re
from bisect import bisect_right

Span = tuple[int, int]

# A copy loses or gains characters all along: so far from where a passage should be, it is looked for.
_NEAR_CHARS = 1_500
_NEAR_SHARE = 0.02  # of the text before it
# So much may be lost or gained within the passage itself.
_DRIFT_CHARS = 20
_DRIFT_SHARE = 0.1  # of the passage
_FEWEST_AGREE = 0.2  # of the passage's words

_WORD = re.compile(r"\w{3,}")


def counterpart(text: str, span: Span, copy: str) -> Span | None:
    """The span of a copy that holds what a span of the text holds, give or take a few words; None where nothing is like it.

    The copy must be of the whole text, in its order.
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
    # by how far each word of the passage may be moved, and the word's number
    votes = sorted(
        (place - word.start(), number)
        for number, word in enumerate(words)
        for place in places.get(word[0], ())
    )
    agreeing = _most_agreeing(votes, _DRIFT_CHARS + _DRIFT_SHARE * (end - start))
    if len({number for _, number in agreeing}) < max(2, _FEWEST_AGREE * len(words)):
        return None
    # before the first word that came through, and after the last, errors are taken to change no length
    first, last = min(agreeing, key=lambda vote: vote[1]), max(agreeing, key=lambda vote: vote[1])
    begin, past = max(0, start + first[0]), min(end + last[0], len(copy))
    found = copy[begin:past]
    return begin + len(found) - len(found.lstrip()), past - len(found) + len(found.rstrip())


def _most_agreeing(votes: list[tuple[int, int]], drift: float) -> list[tuple[int, int]]:
    """Of votes in order, the longest run that differs by no more than `drift`."""
    best: list[tuple[int, int]] = []
    for place, (shift, _) in enumerate(votes):
        past = bisect_right(votes, shift + drift, key=lambda vote: vote[0])
        if past - place > len(best):
            best = votes[place:past]
    return best
