"""Score a release: run the SQL checks, then compute its metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tasks.core.prefect_engine import task
from tasks.core.progress import tell
from tasks.core.rows import Agreement, Comparison, Metric, ResultSet
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Commit, ConcurrentChange, LakeError, ReleaseConflict, may_change
from tasks.pipeline.plan import stale_commits
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.steps import PlannedStep
from tasks.scoring.results import Results, results_of, with_frozen
from tasks.warehouse.connection import (
    keep_rows,
    open_warehouse,
    replace_rows,
    run_checks,
    write_warehouse,
)
from tasks.warehouse.judged_models import lake_models, models_of
from tasks.warehouse.raw_tables import row_types
from tasks.warehouse.releases import lake_parameters, lake_releases

# Parts that no commit has named after a day are abandoned.
_ABANDONED_S = 24 * 3600.0

# Run on the new metrics.
_RECOMPUTED = "checks.metrics_are_sums_of_units"

# `score` keeps a suite's units as a table for at most this many judgements. Replanning their view
# takes a third of the time to score. With ten million judgements, the table is the slower one.
_MOST_KEPT = 100_000

# Attempts to write the warehouse while other runs replace parts of other releases.
_LOOKS = 5


class ChecksFailed(LakeError):
    """A check in `sql/` returned rows."""


@task(name="retire stale steps")
def retire_stale_steps(run: ResolvedRun) -> None:
    """Retire steps whose inputs have been replaced.

    Raises:
        ReleaseConflict: there is such a step, the release is frozen, and --force is not set.
    """
    lake, release = run.lake, run.settings.release
    stale = stale_commits(lake, release)
    names = [commit.step.name for commit in stale]
    if stale and not may_change(release) and not run.settings.force:
        raise ReleaseConflict(
            f"release {release} is frozen, but the inputs of {', '.join(names)} have been replaced "
            "since (by an earlier --force). Run these steps again, or use --force to remove them."
        )
    for commit in stale:
        lake.retire(commit)
    if others := [name for name in names if name != f"{run.suite.name}.score"]:
        tell(
            f"removed from release {release}, because inputs have been replaced: "
            f"{', '.join(others)}. Run their commands to make them again."
        )
    lake.sweep(release, row_types().values(), older_than_s=_ABANDONED_S)


@task(name="score metrics")
def score_metrics(run: ResolvedRun, planned: PlannedStep) -> Commit:
    """Check the suite's tables, then compute its metrics, comparisons and agreements.

    Raises:
        ChecksFailed: a check returned rows. No metrics are written.
    """
    if commit := planned.finished():
        return commit
    results, suite = _checked_results(run, planned), run.suite.name
    return planned.commit(
        [
            planned.write(ResultSet, results.result_sets, suite=suite),
            planned.write(Metric, results.metrics, suite=suite),
            planned.write(Comparison, results.comparisons, suite=suite),
            planned.write(Agreement, results.agreements, suite=suite),
        ]
    )


@task(name="write warehouse")
def write_lake_warehouse(run: ResolvedRun) -> Path | None:
    """Update `LAKE/warehouse.duckdb` and return its path.

    With it, DuckDB reads the whole lake without tenkbench. A lake in S3 has none.

    Raises:
        ConcurrentChange: in each attempt, another run replaced parts of the lake.
    """
    lake = run.lake
    if lake.warehouse is None:
        return None
    for looks_left in reversed(range(_LOOKS)):
        try:
            write_warehouse(
                lake.warehouse,
                lake.files(),
                journal=cache_of(lake),
                parameters=lake_parameters(lake),
                models=lake_models(lake, models_file=run.settings.models_file),
                releases=lake_releases(lake),
            )
            break
        except ConcurrentChange:
            if not looks_left:
                raise
    return lake.warehouse


def _checked_results(run: ResolvedRun, planned: PlannedStep) -> Results:
    """Run the checks, then compute the results.

    Other suites' rows are left out: planning each query over them too would take most of the time.
    """
    lake, release, suite = run.lake, planned.step.release, run.suite
    with open_warehouse(
        lake.files(release, suite=suite.name, without=[planned.step]),
        journal=cache_of(lake),
        parameters=run.parameters,
        models=models_of(release, suite.name, planned.identity),
    ) as warehouse:
        # Most relations read the pairs: planning that view each time takes a third of scoring.
        keep_rows(warehouse, "staging.pairs")
        keep_rows(warehouse, "staging.subjects")
        ((n_judgements,),) = warehouse.execute("select count(*) from raw.judgements").fetchall()
        if n_judgements <= _MOST_KEPT:
            keep_rows(warehouse, "staging.units")
        keep_rows(warehouse, "staging.sums")
        _raise_failures(release, run_checks(warehouse, suite.name, without=[_RECOMPUTED]))
        results = results_of(
            warehouse,
            suite,
            release,
            options=run.parameters,
            version=planned.identity["version"],
            tenkbench=planned.made_by.tenkbench,
        )
        replace_rows(warehouse, results.result_sets)
        replace_rows(warehouse, results.metrics)
        failed = warehouse.execute(f"from {_RECOMPUTED}").fetchall()
        _raise_failures(release, {_RECOMPUTED: failed})
    before = lake.commit_of(planned.step)
    if before is None or may_change(release) or planned.force:
        return results
    return with_frozen(results, lake.read(before, ResultSet), lake.read(before, Metric))


def _raise_failures(release: str, rows_of: dict[str, list[tuple[Any, ...]]]) -> None:
    failures = {name: rows for name, rows in rows_of.items() if rows}
    if failures:
        lines = "\n".join(
            f"  {name}: {len(rows)} rows, first {rows[0]}" for name, rows in failures.items()
        )
        raise ChecksFailed(
            f"the checks of release {release} failed, so nothing was scored:\n{lines}\n"
            'The check "a.b" is in sql/a/b.sql. To list its rows:\n  tenkbench sql "from a.b"'
        )
