"""Changes between two releases: row counts and scores, from the warehouse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from math import nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from tasks.results.opened import rows_of
from tasks.scoring.comparisons import changes_of
from tasks.statistics import FEWEST_GROUPS
from tasks.statistics.intervals import change_interval
from tasks.statistics.paired import change_p, holm
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb

SIGNIFICANT = 0.05

# The tables that are compared, in the order in which a run makes them.
COMPARED_TABLES = ("filings", "documents", "contexts", "qa_pairs", "cases", "rejects")

# A row is a table, or one kind in it: a case's variant, a context's kind, a reject's stage.
_ROW_COUNTS = """
    select
        table_name as table,
        if(grouping(release_rows.kind) = 0, release_rows.kind, null) as kind,
        count(*) filter (where change != 'new') as n_before,
        count(*) filter (where change != 'gone') as n_after,
        count(*) filter (where change = 'same') as n_same,
        count(*) filter (where change = 'changed') as n_changed,
        count(*) filter (where change = 'gone') as n_gone,
        count(*) filter (where change = 'new') as n_new
    from reports.release_rows
    where release = $release and other_release = $other_release and suite in ('all', $suite)
    group by grouping sets ((table_name), (table_name, release_rows.kind))
    order by
        list_position($tables, table_name), grouping(release_rows.kind) desc, release_rows.kind
"""
_CHANGES = """
    select * exclude (suite, release, other_release) from reports.release_changes
    where release = $release and other_release = $other_release and suite = $suite
"""

# What the functions below query, for `open_warehouse(asked=...)`.
ASKED = f"{_ROW_COUNTS}; {_CHANGES}; from staging.shared_units"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """The change of a score from one release to another, and whether it is more than noise.

    Attributes:
        basis: `all`: each release's own filings, as independent samples: the scores that the
            releases report. If they share filings, this misses changes rather than making them up.
            From a frozen round to a round of fresh filings, -change holds the contamination drift.
            `shared`: what both ask in the same words. A change here cannot come from other filings.
        n, n_groups: scored things, and groups of filings that they are of.
        low, high: 95 % interval of the value; None on the basis `shared`.
        change: other_value - value, with its 95 % interval.
        n_lost, n_gained: shared things that are right in the one or in the other release only.
        p: two-sided; None if there are too few filings for an interval.
    """

    model: str
    judge: str
    metric: str
    slice_by: str
    slice_value: str
    basis: Literal["all", "shared"]
    n: int
    other_n: int
    n_groups: int
    other_n_groups: int
    value: float
    low: float | None = None
    high: float | None = None
    other_value: float
    other_low: float | None = None
    other_high: float | None = None
    change: float
    change_low: float | None
    change_high: float | None
    n_lost: int | None = None
    n_gained: int | None = None
    p: float | None
    p_holm: float | None = None
    is_more_than_noise: bool | None = None


def row_counts(
    connection: duckdb.DuckDBPyConnection, release: str, other_release: str, suite: str
) -> list[dict[str, Any]]:
    """Count each table's rows: first all, whose kind is None, then each kind."""
    place = {"release": release, "other_release": other_release, "suite": suite}
    return rows_of(connection, _ROW_COUNTS, place | {"tables": list(COMPARED_TABLES)})


def score_changes(
    connection: duckdb.DuckDBPyConnection,
    release: str,
    other_release: str,
    suite: Suite,
    options: Mapping[str, Any],
) -> list[ScoreChange]:
    """Return the changes of all scores that both releases have, overall first.

    p_holm is over all models of the same judge, metric, slice and basis.

    Args:
        options: the suite's settings that its metrics read.
    """
    place = {"release": release, "other_release": other_release, "suite": suite.name}
    changes = [_of_all(row) for row in rows_of(connection, _CHANGES, place)]
    for model, rows in changes_of(connection, suite, release, other_release, options).items():
        changes += [_of_shared(model, row, is_turned=row["model"] != release) for row in rows]
    family = attrgetter("judge", "metric", "slice_by", "slice_value", "basis")
    families = groupby(sorted(changes, key=family), key=family)
    corrected = [change for _, rows in families for change in _corrected(list(rows))]
    order = attrgetter("judge", "basis", "model", "metric", "slice_by", "slice_value")
    return sorted(corrected, key=lambda change: (change.slice_by != "overall", order(change)))


def _corrected(changes: list[ScoreChange]) -> Iterator[ScoreChange]:
    """Correct P of one family, and say which changes are more than noise."""
    p_values = holm([nan if change.p is None else change.p for change in changes])
    for change, p in zip(changes, map(float, p_values), strict=True):
        low, high = change.change_low, change.change_high
        if change.p is None:
            yield change
        else:
            is_apart = low is not None and high is not None and low * high > 0
            is_more = p <= SIGNIFICANT and is_apart
            yield replace(change, p_holm=p, is_more_than_noise=is_more)


def _of_all(row: Mapping[str, Any]) -> ScoreChange:
    """Test a change of stored metrics, as of two independent samples of filings."""
    ends, other_ends = ((row[f"{which}low"], row[f"{which}high"]) for which in ("", "other_"))
    low = high = p = None
    if None not in (*ends, *other_ends):
        one, other = (row["value"], ends), (row["other_value"], other_ends)
        low, high = map(float, change_interval(*one, *other))
        p = float(change_p(*one, row["n_groups"], *other, row["other_n_groups"]))
    return ScoreChange(**row, basis="all", change_low=low, change_high=high, p=p)


def _of_shared(model: str, row: Mapping[str, Any], *, is_turned: bool) -> ScoreChange:
    """Give a change on what both releases ask in the same words, of the same contexts.

    A change is the later less the earlier value; `is_turned` says that the row's first is later.
    """
    sides, ends = [("", "n_only_model"), ("other_", "n_only_other")], [row["low"], row["high"]]
    if is_turned:
        sides.reverse()
    else:
        ends = [None if end is None else 0.0 - end for end in reversed(ends)]
    (one, only_one), (other, only_other) = sides
    return ScoreChange(
        **{name: row[name] for name in ("judge", "metric", "slice_by", "slice_value", "n")},
        model=model,
        basis="shared",
        other_n=row["n"],
        n_groups=row["n_groups"],
        other_n_groups=row["n_groups"],
        value=row[f"{one}value"],
        other_value=row[f"{other}value"],
        change=row[f"{other}value"] - row[f"{one}value"],
        change_low=ends[0],
        change_high=ends[1],
        n_lost=row[only_one],
        n_gained=row[only_other],
        p=row["p_holm"] if row["n_groups"] >= FEWEST_GROUPS else None,
    )
