"""Draw what a record's haystack holds: needles, hard negatives and background."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from tasks.core.ids import stable_rng
from tasks.suites.longcontext.records.candidates import Candidates
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool, as_drawn
from tasks.suites.longcontext.records.queries import FEWEST_NEGATIVES, MOST_NEGATIVES
from tasks.suites.longcontext.rows import PlannedRecord

# Shares stay inside their bounds in every text of a record, though texts differ a little in length.
_MARGIN = 0.005


@dataclass(frozen=True, slots=True)
class Draft:
    """One planned record of one task, with the articles drawn for it.

    Attributes:
        needles: depth and line of each.
        negatives: reason and line of each.
        background: in the order in which it fills the text.
    """

    planned: PlannedRecord
    candidates: Candidates
    needles: tuple[tuple[float, Line], ...]
    negatives: tuple[tuple[str, Line], ...]
    background: tuple[Line, ...]


def draw_needles(
    pool: Pool, planned: PlannedRecord, candidates: Candidates, seed: int
) -> tuple[tuple[float, Line], ...]:
    """Draw a record's needles among the articles that fit; return depth and line of each."""
    lines = pool.lines(dated=candidates.task.shows_dates)
    rng = stable_rng(seed, "needles", planned.length, planned.number, candidates.query.task)
    drawn = as_drawn(rng, candidates.fitting)
    return tuple(zip(planned.depths, (lines[at] for at in drawn), strict=False))


def draw_negatives(
    pool: Pool,
    planned: PlannedRecord,
    candidates: Candidates,
    needles: Collection[Line],
    *,
    n_tokens: int,
    seed: int,
) -> tuple[tuple[str, Line], ...]:
    """Draw the hard negatives of a text of `n_tokens`; return reason and line of each.

    Kinds take turns, so that each can be looked at apart. A text that has fewer tokens of them than
    its share has all that there are.
    """
    wanted = min(max(planned.negative_share, FEWEST_NEGATIVES + _MARGIN), MOST_NEGATIVES - _MARGIN)
    taken = {line.at for line in needles}  # a needle nearly fits with its date in another format
    total, chosen = 0.0, []
    for reason, at in _in_turns(pool, planned, candidates, seed):
        if at in taken:
            continue
        date = NEAR[reason].shown(pool.articles[at].published)
        line = pool.line(at, date if candidates.task.shows_dates else None)
        share = pool.tokens_at(1, line) / n_tokens
        if total + share > MOST_NEGATIVES - _MARGIN:
            continue
        if total + share > wanted and total >= FEWEST_NEGATIVES + _MARGIN:
            break
        chosen.append((reason, line))
        total += share
    return tuple(chosen)


def _in_turns(
    pool: Pool, planned: PlannedRecord, candidates: Candidates, seed: int
) -> Iterator[tuple[str, int]]:
    """Yield reason and place of hard negatives, the nearest first, the kinds in turns."""
    task, query = candidates.task, candidates.query
    rng = stable_rng(seed, "negatives", planned.length, planned.number, query.task)
    by_reason = []
    for reason, places in candidates.near.items():
        far = NEAR[reason].far
        drawn = sorted((far(task, query, pool.articles[at]), rng.random(), at) for at in places)
        by_reason.append([(reason, at) for *_, at in drawn])
    for turn in zip_longest(*by_reason):
        yield from (pick for pick in turn if pick is not None)
