"""Lay out a haystack: needles at their depths, hard negatives between, background up to the budget.

The lines' tokens add up, so that only a finished prompt is counted as a whole.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tasks.suites.longcontext.records.pool import ArticleLine, ArticlePool, as_drawn

# Articles after the background that may be taken instead of a needle.
_SPARE = 1_000


@dataclass(frozen=True, slots=True)
class HaystackLayout:
    """A haystack, and its twin without needles."""

    lines: tuple[ArticleLine, ...]
    twin: tuple[ArticleLine, ...]
    needles: tuple[int, ...]  # number of each needle, from 1, in the order in which they were given
    negatives: tuple[int, ...]  # number of each hard negative, likewise


class CannotFill(Exception):
    """The articles cannot fill a text; the message says why."""


def lay_out(
    pool: ArticlePool,
    needles: Sequence[tuple[float, ArticleLine]],
    negatives: Sequence[ArticleLine],
    background: Sequence[ArticleLine],
    *,
    target: int,
    rng: Random,
) -> HaystackLayout:
    """Fill a text with articles until the next one would take it above `target` tokens.

    Args:
        needles: depth and article; one whose place is taken gets the nearest free one.
        background: articles in the order in which they are used.
        rng: draws the places of hard negatives.

    Raises:
        CannotFill: there are too few articles.
    """
    fixed = [line for _, line in needles] + list(negatives)
    filled, spare = _fill(pool, fixed, background, target)
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
    twin = list(lines)
    stand_ins = _stand_ins([line for _, line in needles], spare, target - pool.text_tokens(lines))
    for place, line in zip(at_needles, stand_ins, strict=True):
        twin[place] = line
    return HaystackLayout(
        lines=lines,
        twin=tuple(twin),
        needles=tuple(place + 1 for place in at_needles),
        negatives=tuple(place + 1 for place in at_negatives),
    )


def nearest_free(wanted: int, n: int, taken: Container[int]) -> int:
    """Return the free place of 0 to n - 1 that is nearest to the one wanted; of two, the first."""
    free = (place for place in range(n) if place not in taken)
    return min(free, key=lambda place: (abs(place - wanted), place))


def _fill(
    pool: ArticlePool, fixed: Sequence[ArticleLine], background: Sequence[ArticleLine], target: int
) -> tuple[Sequence[ArticleLine], Sequence[ArticleLine]]:
    """Take background from its start until the text is full; return it and the next articles."""
    total = pool.text_tokens(fixed)
    if total > target:
        raise CannotFill("needles and hard negatives alone are too long")
    for n, line in enumerate(background):
        total += pool.tokens_at(len(fixed) + n + 1, line)
        if total > target:
            return background[:n], background[n : n + _SPARE]
    raise CannotFill("the source has too few articles")


def _stand_ins(
    needles: Sequence[ArticleLine], spare: Sequence[ArticleLine], gap: int
) -> Iterator[ArticleLine]:
    """Choose a spare article for each needle, as long as it; all together `gap` tokens longer."""
    left = list(spare)
    for needle in needles:
        fitting = [line for line in left if line.n_tokens <= needle.n_tokens + gap]
        if not fitting:
            raise CannotFill("no other article is as short as a needle")
        nearest = min(fitting, key=lambda line: abs(line.n_tokens - needle.n_tokens))
        left.remove(nearest)
        gap += needle.n_tokens - nearest.n_tokens
        yield nearest
