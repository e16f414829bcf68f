"""Draw what a record's haystack holds besides its background: needles and hard negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tasks.core.ids import stable_rng
from tasks.suites.longcontext.records.candidates import Candidates
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool, as_drawn
from tasks.suites.longcontext.records.queries import (
    FEWEST_NEGATIVES,
    MOST_NEEDLES,
    MOST_NEGATIVES,
)
from tasks.suites.longcontext.rows import PlannedRecord

# Shares stay inside their bounds in every text of a record, though texts differ a little in length.
_MARGIN = 0.005
# The most of a shared text that needles may take.
_MOST_OF_NEEDLES = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """One planned record of one task, with the needles drawn for it, as (depth, line)."""

    planned: PlannedRecord
    seen: Candidates
    needles: tuple[tuple[float, Line], ...]


def draw_needles(pool: Pool, planned: PlannedRecord, seen: Candidates, seed: int) -> Asked:
    """Draw a record's needles among the articles that fit."""
    shown = pool.lines(dated=seen.task.shows_dates)
    lines = [shown[at] for at in _drawn(planned, seen, seed)]
    return Asked(planned, seen, tuple(zip(planned.depths, lines, strict=False)))


def draw_shared_needles(
    pool: Pool, records: Sequence[tuple[PlannedRecord, Candidates]], budget: int, seed: int
) -> tuple[list[Asked], list[Asked]]:
    """Draw the needles of records on one text that shows dates.

    An article counts for every query that it fits. In turns each record gets one more needle, as
    long as no query has more than ten and needles leave half of the text to others; the queries
    with the fewest articles that fit begin.

    Returns the records, and those for which no article fits that the text could hold.
    """
    shown = pool.lines(dated=True)
    barred = frozenset[int]().union(*(seen.barred for _, seen in records))
    left = [iter([at for at in _drawn(*each, seed) if at not in barred]) for each in records]
    fitting: dict[int, list[int]] = {}  # place in the pool -> records whose queries it fits
    for nth, (_, seen) in enumerate(records):
        for at in seen.fits:
            fitting.setdefault(at, []).append(nth)
    n_fitting = [0] * len(records)
    needles: list[list[Line]] = [[] for _ in records]
    taken: set[int] = set()
    room = _MOST_OF_NEEDLES * budget
    for turn in range(MOST_NEEDLES):
        for nth in sorted(range(len(records)), key=lambda nth: len(records[nth][1].fitting)):
            if n_fitting[nth] > turn or records[nth][0].n_needles <= turn or (turn and room <= 0):
                continue
            for at in left[nth]:
                if at in taken or any(n_fitting[each] == MOST_NEEDLES for each in fitting[at]):
                    continue
                taken.add(at)
                needles[nth].append(shown[at])
                room -= shown[at].n_tokens
                for each in fitting[at]:
                    n_fitting[each] += 1
                break
    asked: tuple[list[Asked], list[Asked]] = ([], [])
    for (planned, seen), lines, n in zip(records, needles, n_fitting, strict=True):
        drawn = tuple(zip(planned.depths, lines, strict=False))
        asked[n == 0].append(Asked(planned, seen, drawn))
    return asked


def _drawn(planned: PlannedRecord, seen: Candidates, seed: int) -> list[int]:
    """Return the articles that fit a record's query, as drawn."""
    rng = stable_rng(seed, "needles", planned.length, planned.number, seen.query.task)
    return as_drawn(rng, seen.fitting)


def draw_negatives(pool: Pool, together: Sequence[Asked], n_tokens: int, seed: int) -> list[Line]:
    """Draw the hard negatives of a text of `n_tokens`; they fit no query that is asked of it.

    Records and kinds take turns, so that each kind can be looked at apart. A text that has fewer
    tokens of them than its share has all that there are.
    """
    is_dated = shows_dates(together)
    of_records = []
    for each in together:
        planned = each.planned
        rng = stable_rng(seed, "negatives", planned.length, planned.number, each.seen.query.task)
        by_reason = []
        for reason, places in each.seen.near.items():
            far = NEAR[reason].far
            drawn = sorted(
                (far(each.seen.task, each.seen.query, pool.articles[at]), rng.random(), at)
                for at in places
            )
            by_reason.append([(reason, at) for *_, at in drawn])
        of_records.append([pick for turn in zip_longest(*by_reason) for pick in turn if pick])
    taken = {line.at for each in together for _, line in each.needles}
    share_of_first = together[0].planned.negative_share
    wanted = min(max(share_of_first, FEWEST_NEGATIVES + _MARGIN), MOST_NEGATIVES - _MARGIN)
    had, chosen = 0.0, []
    for reason, at in (pick for turn in zip_longest(*of_records) for pick in turn if pick):
        if at in taken or not all(_may_be_beside(each.seen, reason, at) for each in together):
            continue
        shown = NEAR[reason].shown(pool.articles[at].published)
        line = pool.line(at, shown if is_dated else None)
        share = pool.tokens_at(1, line) / n_tokens
        if had + share > MOST_NEGATIVES - _MARGIN:
            continue
        if had + share > wanted and had >= FEWEST_NEGATIVES + _MARGIN:
            break
        taken.add(at)
        chosen.append(line)
        had += share
    return chosen


def shows_dates(together: Sequence[Asked]) -> bool:
    """Return whether the text of records shows dates: one of them needs these."""
    return any(each.seen.task.shows_dates for each in together)


def _may_be_beside(seen: Candidates, reason: str, at: int) -> bool:
    """Return whether a hard negative of any record may be in a text of this query."""
    # a date in another format fits no range, though the article's own does
    return at not in seen.barred and (at not in seen.fits or at in seen.near.get(reason, ()))
