"""Flow: cases -> the answers of the models under test."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import shards_with_progress, tagged
from tasks.infer import commit_responses, infer_prefixes, infer_responses, n_request_shards
from tasks.settings import RunSettings


@flow(name="infer", flow_run_name="infer {run.release} {run.suite}")
def infer(run: RunSettings) -> None:
    """Have each model answer each case."""
    with tagged(run):
        infer_prefixes(run)
        for model in run.model:
            parts = []
            for shard in shards_with_progress(
                n_request_shards(run, model),
                "infer",
                run.release,
                run.suite,
                model,
                description=f"answers of {model}",
            ):
                parts += infer_responses(run, model, shard)
            commit_responses(run, model, parts)
