"""Flow: judgements -> checks and metric tables."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import tagged
from tasks.core.prefect_engine import flow
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import plan_metrics
from tasks.score import retire_stale_steps, score_metrics, write_lake_warehouse


@flow(name="score", flow_run_name="score {run.release} {run.suite}")
def score(run: Run) -> None:
    """Compute metrics over every judged model and write the warehouse."""
    with tagged(run), opened(run) as resolved:
        retire_stale_steps(resolved)
        score_metrics(resolved, plan_metrics(resolved))
        write_lake_warehouse(resolved)
