"""Score a release: run the SQL checks, then compute its metrics."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.core.progress import tell
from tasks.core.rows import Metric
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Commit, ConcurrentChange, Lake, LakeError, ReleaseConflict, may_change
from tasks.pipeline.parameters import lake_parameters
from tasks.pipeline.plan import plan_metrics, stale_commits
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings, place_options
from tasks.pipeline.steps import is_finished
from tasks.warehouse.connection import open_warehouse, run_checks, write_warehouse
from tasks.warehouse.raw_tables import row_types
from tasks.warehouse.sql_files import sql_files
from tasks.warehouse.training_cutoffs import Stated, cutoffs_of, lake_cutoffs

# Parts that no commit has named after a day are abandoned.
_ABANDONED_S = 24 * 3600.0

_COLUMNS = tuple(field.name for field in fields(Metric))

# Attempts to write the warehouse while other runs replace parts of other releases.
_LOOKS = 5


class ChecksFailed(LakeError):
    """A check in `sql/` returned rows."""


@task(name="retire stale steps", cache_policy=NO_CACHE)
def retire_stale_steps(run: RunSettings) -> list[str]:
    """Retire steps whose inputs have been replaced, and return their names.

    Raises:
        ReleaseConflict: there is such a step, the release is frozen, and --force is not set.
    """
    lake = Lake(run.lake)
    stale = stale_commits(lake, run.release)
    if stale and not may_change(run.release) and not run.force:
        names = ", ".join(commit.step.name for commit in stale)
        raise ReleaseConflict(
            f"release {run.release} is frozen, but the inputs of {names} have been replaced since "
            "(by an earlier --force). Run these steps again, or use --force to remove them."
        )
    for commit in stale:
        lake.retire(commit)
    for suite in dict.fromkeys(commit.step.name.partition(".")[0] for commit in stale):
        first, *others = [
            commit.step.name for commit in stale if commit.step.name.startswith(f"{suite}.")
        ]
        named = f"{first} and {len(others)} more of {suite}" if others else first
        place = place_options(lake=run.lake, release=run.release, suite=suite)
        tell(
            f"removed from release {run.release}, because the inputs have been replaced: {named}. "
            f"With the options of before, this makes it again: tenkbench run{place}"
        )
    lake.sweep(run.release, row_types().values(), older_than_s=_ABANDONED_S)
    return [commit.step.name for commit in stale]


@task(name="score metrics", cache_policy=NO_CACHE)
def score_metrics(run: ResolvedRun) -> Commit:
    """Check the release's tables, then compute its metrics in SQL.

    Raises:
        ChecksFailed: a check returned rows. No metrics are written.
    """
    settings, lake = run.settings, Lake(run.settings.lake)
    planned = plan_metrics(lake, run)
    if is_finished(lake, planned, settings):
        return planned.finished(lake)
    failures, found = _checked_metrics(lake, run, planned.identity["cutoffs"])
    if failures:
        lines = "\n".join(
            f"  {name}: {len(rows)} rows, first {rows[0]}" for name, rows in failures.items()
        )
        raise ChecksFailed(
            f"the checks of release {settings.release} failed, so nothing was scored:\n{lines}\n"
            'The check "a.b" is in sql/a/b.sql. To list its rows:\n  tenkbench sql "from a.b"'
        )
    metrics = [Metric(**dict(zip(_COLUMNS, row, strict=True))) for row in found]
    return planned.commit(lake, [planned.write(lake, Metric, metrics, suite=run.suite.name)])


@task(name="write warehouse", cache_policy=NO_CACHE)
def write_lake_warehouse(run: RunSettings) -> Path | None:
    """Update `LAKE/warehouse.duckdb` and return its path.

    With this file, DuckDB can read the whole lake without tenkbench. A lake in S3 has none, see
    `Lake.warehouse`.

    Raises:
        ConcurrentChange: in each attempt, another run replaced parts of the lake.
    """
    lake = Lake(run.lake)
    if lake.warehouse is None:
        return None
    for looks_left in reversed(range(_LOOKS)):
        try:
            write_warehouse(
                lake.warehouse,
                lake.files(),
                journal=cache_of(run.lake),
                parameters=lake_parameters(lake),
                cutoffs=lake_cutoffs(lake, models_file=run.models_file),
            )
            break
        except ConcurrentChange:
            if not looks_left:
                raise
    return lake.warehouse


def _checked_metrics(
    lake: Lake, run: ResolvedRun, stated: Stated
) -> tuple[dict[str, list[tuple[Any, ...]]], list[tuple[Any, ...]]]:
    """Return failed checks' rows, and the metrics if none failed."""
    release, suite = run.settings.release, run.suite.name
    files, cutoffs = lake.files(release), cutoffs_of(release, suite, stated)
    query = f"select {', '.join(_COLUMNS)} from {suite}.metrics order by all"  # a registry key
    asked = "; ".join((query, *(file.relation for file in sql_files() if file.is_check)))
    with open_warehouse(
        files,
        journal=cache_of(run.settings.lake),
        parameters=run.parameters,
        cutoffs=cutoffs,
        asked=asked,
    ) as warehouse:
        failures = {name: rows for name, rows in run_checks(warehouse).items() if rows}
        return failures, [] if failures else warehouse.execute(query).fetchall()
