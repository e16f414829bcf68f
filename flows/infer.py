"""Flow: cases -> the answers of the models under test."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed, log_line
from tasks.core.prefect_engine import flow
from tasks.core.progress import Pieces, listening
from tasks.infer import infer_prefixes, infer_responses
from tasks.lake.lake import Commit, Lake
from tasks.models.catalogue import name_of
from tasks.pipeline.clients import is_played_by_rules, opened
from tasks.pipeline.plan import plan_prefixes, plan_responses
from tasks.pipeline.steps import replies


@flow(name="infer", flow_run_name="infer {run.release} {run.suite}")
def infer(run: Run) -> None:
    """Have each model answer each case."""
    made = Pieces()
    with followed(run), opened(run) as resolved, listening(made.hear):
        for shown in resolved.shown:
            infer_prefixes(resolved, plan_prefixes(resolved, shown), shown)
        for model in resolved.models:
            n_sent = made.sum_of("sent")
            commit = infer_responses(resolved, plan_responses(resolved, model), model)
            if made.sum_of("sent") == n_sent and not is_played_by_rules(resolved, model):
                log_line(_nothing_asked(resolved.lake, commit, name_of(model)))


def _nothing_asked(lake: Lake, commit: Commit, model: str) -> str:
    """Say what a model that was asked nothing has in the lake."""
    errors = [error for (error,) in replies(lake, commit, "error")]
    n_failed = len(errors) - errors.count(None)
    failed = f", {n_failed:,} of them failures" if n_failed else ""
    return (
        f"Nothing was sent to {model}: the lake has replies to all {len(errors):,} cases{failed}. "
        "It keeps them by the model's name, not by its address."
    )
