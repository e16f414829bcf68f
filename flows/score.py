"""Flow: judgements -> checks and metric tables."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import publish_reports, tagged
from tasks.score import retire_stale_steps, score_metrics
from tasks.settings import RunSettings


@flow(name="score", flow_run_name="score {run.release} {run.suite}")
def score(run: RunSettings) -> None:
    """Compute the suite's metrics over every judged model of the release."""
    with tagged(run):
        retire_stale_steps(run)
        score_metrics(run)
        publish_reports(run)
