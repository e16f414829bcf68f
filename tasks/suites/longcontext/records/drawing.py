"""Draw what a record's haystack holds besides its background: needles and hard negatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tasks.core.ids import stable_rng
from tasks.suites.longcontext.records.candidates import Candidates
from tasks.suites.longcontext.records.near import NEAR
from tasks.suites.longcontext.records.pool import Line, Pool
from tasks.suites.longcontext.records.queries import FEWEST_NEGATIVES, MOST_NEGATIVES
from tasks.suites.longcontext.rows import PlannedRecord

# Shares stay inside their bounds in every text of a record, though texts differ a little in length.
_MARGIN = 0.005
# The most of a shared text that needles may take.
_MOST_OF_NEEDLES = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """One planned record of one task, with its needles as (depth, line)."""

    planned: PlannedRecord
    seen: Candidates
    needles: tuple[tuple[float, Line], ...]


def draw_needles(pool: Pool, planned: PlannedRecord, seen: Candidates, seed: int) -> Asked:
    """Draw a record's needles among the articles that fit."""
    rng = stable_rng(seed, "needles", planned.length, planned.number, seen.query.task)
    drawn = sorted((rng.random(), at) for at in seen.fitting)[: planned.n_needles]
    shown = pool.lines(dated=seen.task.shows_dates)
    lines = [shown[at] for _, at in drawn]
    return Asked(planned, seen, tuple(zip(planned.depths, lines, strict=False)))


def draw_negatives(
    pool: Pool, together: Sequence[Asked], n_tokens: int, seed: int
) -> list[list[tuple[str, Line]]]:
    """Draw the hard negatives of records on one text of `n_tokens`, as (reason, line).

    The kinds take turns, so that each of them can be looked at apart. A record that has fewer
    tokens of them than its share has all that there are.
    """
    taken = {line.at for each in together for _, line in each.needles}
    found = []
    for each in together:
        others = frozenset[int]().union(
            *(other.seen.kept_out for other in together if other is not each)
        )
        planned = each.planned
        rng = stable_rng(seed, "negatives", planned.length, planned.number, each.seen.query.task)
        by_reason = []
        for reason, places in each.seen.near.items():
            far = NEAR[reason].far
            drawn = sorted(
                (far(each.seen.task, each.seen.query, pool.articles[at]), rng.random(), at)
                for at in places
            )
            by_reason.append([(reason, at) for *_, at in drawn if at not in others])
        most = n_tokens / len(together)
        wanted = min(
            max(planned.negative_share, FEWEST_NEGATIVES + _MARGIN), MOST_NEGATIVES - _MARGIN
        )
        had, chosen = 0.0, []
        for reason, at in (pick for turn in zip_longest(*by_reason) for pick in turn if pick):
            shown = NEAR[reason].shown(pool.articles[at].published)
            line = pool.line(at, shown if each.seen.task.shows_dates else None)
            share = pool.tokens_at(1, line) / most
            if at in taken or had + share > MOST_NEGATIVES - _MARGIN:
                continue
            if had + share > wanted and had >= FEWEST_NEGATIVES + _MARGIN:
                break
            taken.add(at)
            chosen.append((reason, line))
            had += share
        found.append(chosen)
    return found


def together_in_texts(pool: Pool, asked: Sequence[Asked], budget: int) -> list[list[Asked]]:
    """Group records whose needles can coexist in one text, each into the first group it suits."""
    groups: list[list[Asked]] = []
    for each in asked:
        for group in groups:
            if all(_coexist(each, one) for one in group) and _has_room(
                pool, [*group, each], budget
            ):
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _has_room(pool: Pool, together: Sequence[Asked], budget: int) -> bool:
    """Return whether a text has room for needles, and the source enough other articles for it."""
    needles = sum(line.n_tokens for each in together for _, line in each.needles)
    kept_out = frozenset[int]().union(*(each.seen.kept_out for each in together))
    lines = pool.lines(dated=together[0].seen.task.shows_dates)
    others = sum(line.n_tokens for line in lines if line.at not in kept_out)
    return needles <= _MOST_OF_NEEDLES * budget <= others - _MOST_OF_NEEDLES * budget


def _coexist(one: Asked, other: Asked) -> bool:
    return all(
        line.at not in beside.seen.kept_out
        for each, beside in ((one, other), (other, one))
        for _, line in each.needles
    )
