"""All results of one scoring, and what a frozen release keeps of earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isclose
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Agreement, Comparison, Metric, ResultSet
from tasks.core.tables import to_record
from tasks.scoring.agreements import agreements_of
from tasks.scoring.comparisons import comparisons_of
from tasks.scoring.metrics import metrics_of
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb

_TOLERANCE = 1e-9
_cell = attrgetter("model", "judge", "metric", "slice_by", "slice_value")
_NUMBERS = ("n", "n_unscored", "value", "median", "mean", "low", "high", "worst", "best")


@dataclass(frozen=True, slots=True)
class Results:
    """The rows that `score` writes for a suite in a release."""

    result_sets: tuple[ResultSet, ...]
    metrics: tuple[Metric, ...]
    comparisons: tuple[Comparison, ...]
    agreements: tuple[Agreement, ...]


def results_of(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    *,
    options: Mapping[str, Any],
    version: int,
    tenkbench: str,
) -> Results:
    """Compute the results of a suite in a release from the units that SQL counts.

    `options` are the suite's settings that its metrics read, `version` is that of the scoring code,
    and `tenkbench` our release.
    """
    metrics = metrics_of(connection, suite, release, options=options)
    comparisons = comparisons_of(connection, suite, release, options)
    agreements = agreements_of(connection, suite.name, release)
    rows = [to_record(row) for row in (*metrics, *comparisons)]
    score_id = sha256_hex(canonical_json([version, rows]))[:16]
    current = ResultSet(
        suite=suite.name,
        release=release,
        score_id=score_id,
        version=version,
        tenkbench=tenkbench,
        models=tuple(sorted({metric.model for metric in metrics})),
        is_current=True,
    )
    return Results(
        (current,),
        tuple(replace(row, score_id=score_id) for row in metrics),
        tuple(replace(row, score_id=score_id) for row in comparisons),
        tuple(replace(row, score_id=score_id) for row in agreements),
    )


def with_frozen(results: Results, sets: Iterable[ResultSet], metrics: Iterable[Metric]) -> Results:
    """Add the earlier metrics of a frozen release that are others today.

    A frozen release's judgements never change, so a number that does comes from the code, or from
    what people reject. Both are kept; comparisons are only of the current set. `sets` are the
    release's result sets so far, with their `metrics`.
    """
    now = {_cell(metric): metric for metric in results.metrics}
    frozen = [row for row in metrics if not _is_same(row, now.get(_cell(row)))]
    named = {metric.score_id for metric in frozen}
    earlier = [replace(row, is_current=False) for row in sets if row.score_id in named]
    return replace(
        results, result_sets=(*earlier, *results.result_sets), metrics=(*frozen, *results.metrics)
    )


def _is_same(metric: Metric, other: Metric | None) -> bool:
    if other is None:
        return False
    pairs = [(getattr(metric, name), getattr(other, name)) for name in _NUMBERS]
    return all(
        one is two if None in (one, two) else isclose(one, two, abs_tol=_TOLERANCE)
        for one, two in pairs
    )
