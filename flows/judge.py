"""Flow: answers -> judgements."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import shards_with_progress, tagged
from tasks.judge import commit_judgements, judge_answers, n_answer_shards
from tasks.settings import RunSettings


@flow(name="judge", flow_run_name="judge {run.release} {run.suite}")
def judge(run: RunSettings) -> None:
    """Have the judge rate each answer of each model."""
    with tagged(run):
        for model in run.model:
            parts = []
            for shard in shards_with_progress(
                n_answer_shards(run, model),
                "judge",
                run.release,
                run.suite,
                model,
                description=f"judgements of {model}",
            ):
                parts += judge_answers(run, model, shard)
            commit_judgements(run, model, parts)
