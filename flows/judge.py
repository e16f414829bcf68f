"""Flow: answers -> judgements."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import followed
from tasks.batch_files import AwaitingBatch
from tasks.judge import commit_judgements, judge_answers, unjudged_models, waves_of
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
        waves = waves_of(run, models)
        sizes = [wave.n_answers for wave in waves]
        whole = Whole(f"all judging by {name_of(run.judge)}", sizes, in_calls=True)
        for number, wave in enumerate(waves):
            try:
                with whole.part(number):
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
