"""Flow: answers -> judgements."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import followed
from tasks.batch_files import AwaitingBatch
from tasks.judge import answer_shards, commit_judgements, judge_answers, unjudged_models
from tasks.models import name_of
from tasks.progress import Whole
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
        sizes = answer_shards(run, models)
        whole = Whole(f"all judging by {name_of(run.judge)}", sizes, in_calls=True)
        for shard in range(len(sizes)):
            try:
                with whole.part(shard):
                    judged = judge_answers(run, models, shard)
            except AwaitingBatch as written:  # the other shards' calls can be written meanwhile
                awaiting.append(written)
                continue
            for model, of_model in judged.items():
                parts[model] += of_model
        if awaiting:
            raise AwaitingBatch("\n".join(map(str, awaiting)))
        for model in models:
            commit_judgements(run, model, parts[model])
