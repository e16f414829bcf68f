"""Flow: answers -> judgements, and trials of the judges."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.core.progress import in_parts
from tasks.judge import commit_judgements, judge_answers, judge_attacks, unjudged, waves_of
from tasks.lake.lake import Part
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import Models, occasions, plan_attack_verdicts
from tasks.pipeline.resolved import NamedJudge, ResolvedRun


@flow(name="judge", flow_run_name="judge {run.release} {run.suite}")
def judge(run: Run) -> None:
    """Have each judge rate all answers, repeats and, if wanted, attacks."""
    with followed(run), opened(run) as resolved:
        for of_run in resolved.judges:
            for occasion in occasions(resolved, of_run):
                _judge_all(resolved, of_run, occasion)
            if of_run.judge.attacks is not None and resolved.settings.attacks:
                judge_attacks(resolved, plan_attack_verdicts(resolved, of_run), of_run)


def _judge_all(run: ResolvedRun, judge: NamedJudge, occasion: int) -> None:
    """Have a judge rate every model's answers, wave by wave."""
    plans = unjudged(run, judge, occasion)
    parts: dict[Models, list[Part]] = {models: [] for models in plans}
    waves = waves_of(run, judge, plans, occasion)
    again = " once more" if occasion else ""
    what, sizes = f"all judging{again} by {judge.name}", [wave.n_judgements for wave in waves]
    for wave in in_parts(what, waves, sizes):
        written = judge_answers(run, judge, plans, wave, occasion)
        for models, of_models in written.items():
            parts[models] += of_models
    for models, planned in plans.items():
        commit_judgements(planned, parts[models])
