"""Changes between two releases: row counts and scores, from the warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tasks.results.opened import rows_of
from tasks.scoring.comparisons import changes_of
from tasks.statistics import FEWEST_GROUPS
from tasks.statistics.intervals import change_interval
from tasks.statistics.paired import change_p, holm
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb

_SIGNIFICANT = 0.05
# The tables that are compared, in the order in which a run makes them.
_COMPARED_TABLES = ("filings", "documents", "contexts", "qa_pairs", "cases", "rejects")

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

# What the functions below query, for `open_warehouse(query=...)`.
ASKED = f"{_ROW_COUNTS}; {_CHANGES}; from staging.shared_units"


# The change of a score from one release to another: `value`, `other_value` and `change` with 95 %
# intervals, and a two-sided P, which is None if there are too few filings for an interval.
# - basis `all`: each release's own filings, as independent samples: the scores that the releases
#   report. If they share filings, this misses changes rather than making them up. From a frozen
#   round to a round of fresh filings, -change holds the contamination drift.
# - basis `shared`: what both ask in the same words. A change here cannot come from other filings.
#   `n_lost` and `n_gained` are shared things that are right in the one or other release only.
Change = dict[str, Any]


def row_counts(
    connection: duckdb.DuckDBPyConnection, release: str, other_release: str, suite: str
) -> list[dict[str, Any]]:
    """Count each table's rows: first all, whose kind is None, then each kind."""
    place = {"release": release, "other_release": other_release, "suite": suite}
    return rows_of(connection, _ROW_COUNTS, place | {"tables": list(_COMPARED_TABLES)})


def score_changes(
    connection: duckdb.DuckDBPyConnection,
    release: str,
    other_release: str,
    suite: Suite,
    options: Mapping[str, Any],
) -> list[Change]:
    """Return the changes of all scores that both releases have, overall first.

    p_holm is over all models of the same judge, metric, slice and basis.

    Args:
        options: the suite's settings that its metrics read.
    """
    place = {"release": release, "other_release": other_release, "suite": suite.name}
    changes = [of_all(row) for row in rows_of(connection, _CHANGES, place)]
    for model, rows in changes_of(connection, suite, release, other_release, options).items():
        changes += [_of_shared(model, row, is_turned=row["model"] != release) for row in rows]
    family = itemgetter("judge", "metric", "slice_by", "slice_value", "basis")
    for _, of_family in groupby(sorted(changes, key=family), key=family):
        _correct(list(of_family))
    order = itemgetter("judge", "basis", "model", "metric", "slice_by", "slice_value")
    return sorted(changes, key=lambda change: (change["slice_by"] != "overall", order(change)))


def _correct(changes: Sequence[Change]) -> None:
    """Correct P of one family, and say which changes are more than noise."""
    p_values = holm([nan if change["p"] is None else change["p"] for change in changes])
    for change, p in zip(changes, map(float, p_values), strict=True):
        low, high = change["change_low"], change["change_high"]
        is_apart = low is not None and high is not None and low * high > 0
        is_known = change["p"] is not None
        change["p_holm"] = p if is_known else None
        change["is_more_than_noise"] = p <= _SIGNIFICANT and is_apart if is_known else None


def of_all(row: Mapping[str, Any]) -> Change:
    """Test a change of stored metrics, as of two independent samples of filings."""
    ends, other_ends = ((row[f"{which}low"], row[f"{which}high"]) for which in ("", "other_"))
    low = high = p = None
    if None not in (*ends, *other_ends):
        one, other = (row["value"], ends), (row["other_value"], other_ends)
        low, high = map(float, change_interval(*one, *other))
        p = float(change_p(*one, row["n_groups"], *other, row["other_n_groups"]))
    none_shared = {"n_lost": None, "n_gained": None}
    return {**row, **none_shared, "basis": "all", "change_low": low, "change_high": high, "p": p}


def _of_shared(model: str, row: Mapping[str, Any], *, is_turned: bool) -> Change:
    """Give a change on what both releases ask in the same words, of the same contexts.

    A change is the later less the earlier value; `is_turned` says that the row's first is later.
    """
    sides, ends = [("", "n_only_model"), ("other_", "n_only_other")], [row["low"], row["high"]]
    if is_turned:
        sides.reverse()
    else:
        ends = [None if end is None else 0.0 - end for end in reversed(ends)]
    (one, only_one), (other, only_other) = sides
    return {
        "model": model,
        **{name: row[name] for name in ("judge", "metric", "slice_by", "slice_value", "n")},
        "basis": "shared",
        **{"other_n": row["n"], "n_groups": row["n_groups"], "other_n_groups": row["n_groups"]},
        **dict.fromkeys(("low", "high", "other_low", "other_high")),
        "value": row[f"{one}value"],
        "other_value": row[f"{other}value"],
        "change": row[f"{other}value"] - row[f"{one}value"],
        "change_low": ends[0],
        "change_high": ends[1],
        "n_lost": row[only_one],
        "n_gained": row[only_other],
        "p": row["p_holm"] if row["n_groups"] >= FEWEST_GROUPS else None,
    }
