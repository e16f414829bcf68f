"""Flow: answers -> judgements, and trials of the judges."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.core.progress import in_parts
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
        for each in resolved.judges:
            for occasion in occasions(resolved, each):
                _judge_all(resolved, context, each, occasion)
            if each.judge.attacks is not None and run.attacks:
                judge_attacks(resolved, context, each)


def _judge_all(run: ResolvedRun, context: RunContext, judge: NamedJudge, occasion: int) -> None:
    """Have a judge rate every model's answers, wave by wave."""
    judged = unjudged(run, judge, occasion)
    parts: dict[Models, list[Part]] = {models: [] for models in judged}
    waves = waves_of(run, judge, judged, occasion)
    again = " once more" if occasion else ""
    what, sizes = f"all judging{again} by {judge.name}", [wave.n_judgements for wave in waves]
    for wave in in_parts(what, waves, sizes):
        written = judge_answers(run, context, judge, judged, wave, occasion)
        for models, of_models in written.items():
            parts[models] += of_models
    for models in judged:
        commit_judgements(run, judge, models, parts[models], occasion)
