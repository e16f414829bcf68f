"""Flow: judgements -> checks and metric tables."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import tagged
from tasks.core.prefect_engine import flow
from tasks.pipeline.resolved import resolve
from tasks.score import retire_stale_steps, score_metrics, write_lake_warehouse


@flow(name="score", flow_run_name="score {run.release} {run.suite}")
def score(run: Run) -> None:
    """Compute metrics over every judged model and write the warehouse."""
    with tagged(run):
        retire_stale_steps(run)
        score_metrics(resolve(run))
        write_lake_warehouse(run)
