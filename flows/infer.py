"""Flow: cases -> the answers of the models under test."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.infer import infer_prefixes, infer_responses
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import plan_prefixes, plan_responses


@flow(name="infer", flow_run_name="infer {run.release} {run.suite}")
def infer(run: Run) -> None:
    """Have each model answer each case."""
    with followed(run), opened(run) as resolved:
        for shown in resolved.shown:
            infer_prefixes(resolved, plan_prefixes(resolved, shown), shown)
        for model in resolved.models:
            infer_responses(resolved, plan_responses(resolved, model), model)
