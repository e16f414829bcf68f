"""Flow: answers -> judgements."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import followed
from tasks.batch_files import AwaitingBatch
from tasks.judge import commit_judgements, judge_answers, shards_by_wave, unjudged_models
from tasks.road import freshness
from tasks.settings import RunSettings
from tasks.spending import spending
from tasks.store import Part


@flow(name="judge", flow_run_name="judge {run.release} {run.suite}")
def judge(run: RunSettings) -> None:
    """Have the judge rate each answer of each model."""
    with followed(run, "judge"), spending(run.budget), freshness(run):
        models = unjudged_models(run)
        parts: dict[str, list[Part]] = {model: [] for model in models}
        awaiting: list[AwaitingBatch] = []
        for wave in range(len(shards_by_wave(run, models))):
            try:
                judged = judge_answers(run, models, wave)
            except AwaitingBatch as written:  # the other waves' calls can be written meanwhile
                awaiting.append(written)
                continue
            for model, of_model in judged.items():
                parts[model] += of_model
        if awaiting:
            raise AwaitingBatch("\n".join(map(str, awaiting)))
        for model in models:
            commit_judgements(run, model, parts[model])
