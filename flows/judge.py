"""Flow: answers -> judgements, and trials of the judges."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.core.progress import Whole
from tasks.inference.batch_files import AwaitingBatch
from tasks.inference.context import RunContext
from tasks.judge import Models, commit_judgements, judge_answers, judge_attacks, unjudged, waves_of
from tasks.lake.lake import Part
from tasks.pipeline.clients import running
from tasks.pipeline.plan import occasions
from tasks.pipeline.resolved import NamedJudge, ResolvedRun, resolve


@flow(name="judge", flow_run_name="judge {run.release} {run.suite}")
def judge(run: Run) -> None:
    """Have each judge rate all answers, repeats and, if wanted, attacks."""
    resolved = resolve(run)
    with followed(run, "judge"), running(run) as context:
        awaiting: list[AwaitingBatch] = []
        for each in resolved.judges:
            try:
                for occasion in occasions(resolved, each):
                    _judge_all(resolved, context, each, occasion)
            except AwaitingBatch as written:  # the other judges' calls are still written
                awaiting.append(written)
            if each.judge.attacks is None or not run.attacks:
                continue
            try:
                judge_attacks(resolved, context, each)
            except AwaitingBatch as written:
                awaiting.append(written)
        _await(awaiting)


def _judge_all(run: ResolvedRun, context: RunContext, judge: NamedJudge, occasion: int) -> None:
    """Have a judge rate every model's answers, wave by wave."""
    judged = unjudged(run, judge, occasion)
    parts: dict[Models, list[Part]] = {models: [] for models in judged}
    awaiting: list[AwaitingBatch] = []
    waves = waves_of(run, judge, judged, occasion)
    again = " once more" if occasion else ""
    whole = Whole(f"all judging{again} by {judge.name}", [wave.n_judgements for wave in waves])
    for number, wave in enumerate(waves):
        try:
            with whole.part(number):
                written = judge_answers(run, context, judge, judged, wave, occasion)
        except AwaitingBatch as batch:  # the other waves' calls are still written
            awaiting.append(batch)
            continue
        for models, of_models in written.items():
            parts[models] += of_models
    _await(awaiting)
    for models in judged:
        commit_judgements(run, judge, models, parts[models], occasion)


def _await(awaiting: list[AwaitingBatch]) -> None:
    if awaiting:
        raise AwaitingBatch("\n".join(map(str, awaiting)))
