"""Lay out a haystack: needles at their depths, hard negatives between, background up to the budget.

The lines' tokens add up, so that only a finished prompt is counted as a whole.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from random import Random

from tasks.suites.longcontext.records.pool import ArticleLine, ArticlePool, as_drawn

# Articles after the background that may be taken instead of one, or of a needle.
_SPARE = 1_000
# Articles at the text's end that may be exchanged for one of another length.
_EXCHANGED = 50


@dataclass(frozen=True, slots=True)
class HaystackLayout:
    """A haystack, and its twin without needles.

    Attributes:
        needles: number of each needle, from 1, in the order in which they were given.
        negatives: number of each hard negative, likewise.
    """

    lines: tuple[ArticleLine, ...]
    twin: tuple[ArticleLine, ...]
    needles: tuple[int, ...]
    negatives: tuple[int, ...]


class CannotFill(Exception):
    """The articles cannot fill a text; the message says why."""


def lay_out(
    pool: ArticlePool,
    needles: Sequence[tuple[float, ArticleLine]],
    negatives: Sequence[ArticleLine],
    background: Sequence[ArticleLine],
    *,
    target: int,
    slack: int,
    rng: Random,
) -> HaystackLayout:
    """Fill a text with `target` tokens, or up to `slack` fewer.

    Args:
        needles: depth and article; one whose place is taken gets the nearest free one.
        background: articles in the order in which they are used.
        rng: draws the places of hard negatives.

    Raises:
        CannotFill: there are too few articles, or none of a fitting length.
    """
    fixed = [line for _, line in needles] + list(negatives)
    filled, spare = _fill(pool, fixed, background, target, slack)
    n = len(fixed) + len(filled)
    placed: dict[int, ArticleLine] = {}  # place, from 0 -> line
    at_needles = []
    for depth, line in needles:
        place = nearest_free(round(depth * (n - 1)), n, placed)
        placed[place] = line
        at_needles.append(place)
    free = [place for place in as_drawn(rng, range(n)) if place not in placed]
    at_negatives = free[: len(negatives)]
    placed.update(zip(at_negatives, negatives, strict=True))
    rest = iter(filled)
    lines = tuple(placed[place] if place in placed else next(rest) for place in range(n))
    gap, twin = target - pool.text_tokens(lines), list(lines)
    instead = _stand_ins([line for _, line in needles], spare, gap, slack)
    for place, line in zip(at_needles, instead, strict=True):
        twin[place] = line
    return HaystackLayout(
        lines=lines,
        twin=tuple(twin),
        needles=tuple(place + 1 for place in at_needles),
        negatives=tuple(place + 1 for place in at_negatives),
    )


def nearest_free(wanted: int, n: int, taken: Container[int]) -> int:
    """Return the free place of 0 to n - 1 that is nearest to the one wanted; of two, the first."""
    for away in range(n):
        for place in (wanted - away, wanted + away):
            if 0 <= place < n and place not in taken:
                return place
    raise CannotFill("more needles than places")


def _fill(
    pool: ArticlePool,
    fixed: Sequence[ArticleLine],
    background: Sequence[ArticleLine],
    target: int,
    slack: int,
) -> tuple[list[ArticleLine], list[ArticleLine]]:
    """Take background from its start until the text is full; return it and the rest."""
    total = pool.text_tokens(fixed)
    if total > target:
        raise CannotFill("needles and hard negatives alone are too long")
    filled: list[ArticleLine] = []
    for line in background:
        more = pool.tokens_at(len(fixed) + len(filled) + 1, line)
        if total + more > target:
            break
        filled.append(line)
        total += more
    n, gap = len(filled), target - total
    spare = list(background[n : n + _SPARE])
    if gap <= slack:
        return filled, spare
    # One article more closes the gap, or another one in place of one of the last.
    changes = [(n, pool.number_tokens(len(fixed) + n + 1) - pool.number_tokens(len(fixed) + n))]
    changes += [(at, -filled[at].n_tokens) for at in range(n - 1, max(n - 1 - _EXCHANGED, -1), -1)]
    for place, n_tokens in changes:
        for at, line in enumerate(spare):
            if gap - slack <= line.n_tokens + n_tokens <= gap:
                spare[at : at + 1] = filled[place : place + 1]
                filled[place : place + 1] = [line]
                return filled, spare
    raise CannotFill(
        "no article has the length that is missing" if spare else "the source has too few articles"
    )


def _stand_ins(
    needles: Sequence[ArticleLine], spare: Sequence[ArticleLine], gap: int, slack: int
) -> list[ArticleLine]:
    """Choose a spare article for each needle, so that the text keeps its tokens."""
    left = list(spare)
    placed: dict[int, ArticleLine] = {}
    # the longest first: what they lack, others can make up for
    for nth in sorted(range(len(needles)), key=lambda nth: -needles[nth].n_tokens):
        if not left:
            raise CannotFill("the source has too few articles for a twin without needles")
        wanted = needles[nth].n_tokens + gap - min(max(gap, 0), slack)
        best = min(range(len(left)), key=lambda at: abs(left[at].n_tokens - wanted))
        placed[nth] = left.pop(best)
        gap -= placed[nth].n_tokens - needles[nth].n_tokens
    if not 0 <= gap <= slack:
        raise CannotFill("no articles are as long as the needles")
    return [placed[nth] for nth in range(len(needles))]
