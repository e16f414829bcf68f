"""Flow: cases -> the answers of the models under test."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.infer import infer_prefixes, infer_responses
from tasks.inference.batch_files import AwaitingBatch
from tasks.pipeline.clients import running
from tasks.pipeline.resolved import resolve


@flow(name="infer", flow_run_name="infer {run.release} {run.suite}")
def infer(run: Run) -> None:
    """Have each model answer each case."""
    resolved = resolve(run)
    with followed(run, "infer"), running(run) as context:
        for shown in resolved.shown:
            infer_prefixes(resolved, shown)
        awaiting: list[AwaitingBatch] = []
        for model in run.model:
            try:
                infer_responses(resolved, context, model)
            except AwaitingBatch as written:  # the other models' calls are still written
                awaiting.append(written)
        if awaiting:
            raise AwaitingBatch("\n".join(map(str, awaiting)))
