"""Flow: cases -> the answers of the models under test."""

from __future__ import annotations

from flows.cli.views.call_summary import counting_calls
from flows.parameters import Run
from flows.shown import followed, log_line
from tasks.core.prefect_engine import flow
from tasks.infer import infer_prefixes, infer_responses
from tasks.inference.batch_files import AwaitingBatch
from tasks.models.catalogue import name_of
from tasks.pipeline.clients import running
from tasks.pipeline.resolved import resolve


@flow(name="infer", flow_run_name="infer {run.release} {run.suite}")
def infer(run: Run) -> None:
    """Have each model answer each case."""
    resolved = resolve(run)
    with followed(run, "infer"), running(run) as context, counting_calls() as made:
        for shown in resolved.shown:
            infer_prefixes(resolved, shown)
        awaiting: list[AwaitingBatch] = []
        for model in run.model:
            n_sent = made.sum_of("sent")
            try:
                commit = infer_responses(resolved, context, model)
            except AwaitingBatch as written:  # the other models' calls are still written
                awaiting.append(written)
                continue
            if made.sum_of("sent") == n_sent:
                n_answers = commit.n_rows("responses")
                log_line(
                    f"Nothing to ask {name_of(model)}: all {n_answers:,} answers are in the lake, "
                    "which keeps them by the model's name, not by its address."
                )
        if awaiting:
            raise AwaitingBatch("\n".join(map(str, awaiting)))
