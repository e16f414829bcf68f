"""Judge: models' responses -> judgements, as one wave over all models; and the judge itself on trial.

An *occasion* is 0 where answers are rated, and 1 where a part of them is rated again: the same
calls, asked and kept once more, whose verdicts are compared with the first and counted nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.core.ids import stable_id
from tasks.core.rows import AttackVerdict, Case, Judgement, QAPair, Request, Response
from tasks.inference.call_records import OperationRecord, divided
from tasks.inference.context import RunContext
from tasks.lake.lake import Commit, Lake, Part
from tasks.models.catalogue import name_of
from tasks.pipeline.clients import client_of
from tasks.pipeline.plan import (
    answers_step,
    is_judged_on,
    plan_attack_verdicts,
    plan_judgements,
    stale_commits,
)
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import MissingInput, Planned, committed, is_finished, write_calls
from tasks.suites.registry import load_suite
from tasks.suites.shared.judging import Answered
from tasks.suites.suite import Suite

# Answers that are judged together: some 100 MB of rows.
ANSWERS_TOGETHER = 16_384


def unjudged_models(run: RunSettings, judge: str, occasion: int = 0) -> list[str]:
    """The models whose judgements are not finished: one wave judges them together.

    Raises:
        MissingInput: answers are to what has been made anew since; judgements of them would not count.
    """
    lake = Lake(run.lake)
    stale = {commit.step.name for commit in stale_commits(lake, run.release)}
    if outdated := [name_of(model) for model in run.model if answers_step(run, model) in stale]:
        raise MissingInput(
            f"the answers of {', '.join(outdated)} in release {run.release} were made from cases or prompts that were "
            "made anew since; run `tenkbench infer` with the same models first"
        )
    return [
        model
        for model in run.model
        if not is_finished(lake, plan_judgements(lake, resolve(run), judge, model, occasion), run)
    ]


@dataclass(frozen=True, slots=True)
class Wave:
    """Shards of the models' answers that are judged together, and how many answers they hold."""

    number: int
    shards: range
    n_answers: int


def waves_of(run: RunSettings, models: Sequence[str], occasion: int = 0) -> list[Wave]:
    """The waves of a judging: each takes as many shards as stand in memory.

    A wave ends with its slowest call, and the judge's replicas wait for that: the fewer the better.
    """
    lake = Lake(run.lake)
    share = run.judge_repeats if occasion else 1.0
    operations = [each.name for each in load_suite(run.suite).answers]
    commits = [committed(lake, run.release, answers_step(run, model)) for model in models]
    parts = [commit.parts_of("responses", operation=operations[0]) for commit in commits]
    waves: list[Wave] = []
    for shard, same in enumerate(zip_longest(*parts)):
        n_answers = round(share * sum(part.n_rows for part in same if part is not None))
        if waves and waves[-1].n_answers + n_answers <= ANSWERS_TOGETHER:
            last = waves.pop()
            shards, n_answers = range(last.shards.start, shard + 1), last.n_answers + n_answers
        else:
            shards = range(shard, shard + 1)
        waves.append(Wave(len(waves), shards, n_answers))
    return waves


@task(
    name="judge answers", task_run_name="judge answers by {judge}, wave {wave.number}", cache_policy=NO_CACHE
)
def judge_answers(
    run: RunSettings, context: RunContext, judge: str, models: Sequence[str], wave: Wave, occasion: int = 0
) -> dict[str, list[Part]]:
    """One wave of every model's answers -> judgements, the first or repeats; parts by model.

    In (context, pair, variant, model) order: answers to one question share their prompt's prefix
    over all models, so judging model by model would pay for each prefix once a model.
    """
    lake = Lake(run.lake)
    suite = load_suite(run.suite)
    plans = {model: plan_judgements(lake, resolve(run), judge, model, occasion) for model in models}
    found = (each for shard in wave.shards for each in _answered(lake, run, suite, plans, shard))
    if occasion:  # an answer that never came was not put to the judge
        found = (
            (model, replace(answered, occasion=occasion))
            for model, answered in found
            if answered.response.status == "ok" and is_judged_on(occasion, run, answered.case.case_id)
        )
    together = _in_order(suite, list(plans), list(found))
    answers = [answered for _, answered in together]
    candidate_of = {answered.request.request_id: model for model, answered in together}
    records: Mapping[str, Mapping[str, OperationRecord]] = {}
    resolved = resolve(run)
    played = resolved.judge(judge)
    if played.is_rule:
        name, judgements = judge, list(played.run(answers, None, resolved.options))
    else:
        part = _part_name(run, models, wave, occasion)
        engine = client_of(run, context, judge, suite.operations, part)
        name, judgements = engine.model, list(played.run(answers, engine, resolved.options))
        records = divided(engine.records, lambda request: candidate_of[request.subject_id])
    rows = [_repeated(row, occasion) for row in judgements] if occasion else judgements
    parts: dict[str, list[Part]] = {}
    for model, planned in plans.items():
        of_model = [row for row in rows if candidate_of[row.request_id] == model]
        candidate = name_of(model)
        keys = {"suite": run.suite, "judge": name, "model": candidate}
        parts[model] = [planned.write(lake, Judgement, of_model, wave.number, **keys)]
        parts[model] += write_calls(
            lake, planned, run, name, records.get(model, {}), wave.number, candidate=candidate
        )
    return parts


@task(
    name="commit judgements",
    task_run_name="commit judgements of {model} by {judge}",
    cache_policy=NO_CACHE,
)
def commit_judgements(
    run: RunSettings, judge: str, model: str, parts: list[Part], occasion: int = 0
) -> Commit:
    """Make the waves' judgements, the first or repeats, what readers see."""
    lake = Lake(run.lake)
    return plan_judgements(lake, resolve(run), judge, model, occasion).commit(lake, parts)


@task(name="judge attacks", task_run_name="judge attacks by {judge}", cache_policy=NO_CACHE)
def judge_attacks(run: RunSettings, context: RunContext, judge: str) -> Commit:
    """The suite's standing set of attacks -> one judge's verdicts; of a suite that has one."""
    lake = Lake(run.lake)
    planned = plan_attack_verdicts(lake, resolve(run), judge)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    suite = load_suite(run.suite)
    attacks = resolve(run).judge(judge).attacks
    assert attacks is not None
    engine = client_of(run, context, judge, suite.operations, "attacks")
    verdicts = list(attacks(engine))
    parts = [planned.write(lake, AttackVerdict, verdicts, suite=run.suite, judge=engine.model)]
    return planned.commit(lake, parts + write_calls(lake, planned, run, engine.model, engine.records))


def _part_name(run: RunSettings, models: Sequence[str], wave: Wave, occasion: int) -> str:
    n_waves = len(waves_of(run, models, occasion))
    parts = ["once more"] if occasion else []
    parts += [f"wave {wave.number + 1} of {n_waves}"] if n_waves > 1 else []
    return ", ".join(parts)


def _repeated(row: Judgement, repeat: int) -> Judgement:
    """Give a judgement that was made on a later occasion an id of its own."""
    return replace(row, judgement_id=stable_id("judgement", row.judgement_id, repeat), repeat=repeat)


def _answered(
    lake: Lake, run: RunSettings, suite: Suite, plans: Mapping[str, Planned], shard: int
) -> Iterator[tuple[str, Answered]]:
    """(model, answered case) of one shard over all models."""
    answers: list[tuple[str, Request, Response]] = []
    for model, planned in plans.items():
        commit = planned.input(answers_step(run, model))
        if shard >= len(commit.parts_of("requests", operation=suite.answers[0].name)):
            continue
        requests = lake.read_shard(commit, Request, shard, operation=suite.answers[0].name)
        responses = lake.read_shard(commit, Response, shard, operation=suite.answers[0].name)
        response_of = {response.request_id: response for response in responses}
        answers += [(model, request, response_of[request.request_id]) for request in requests]
    built = [commit for commit in next(iter(plans.values())).inputs if ".build." in commit.step.name]
    asked = {request.case_id or "" for _, request, _ in answers}
    cases = {
        case.case_id: case for commit in built for case in lake.each(commit, Case, only=("case_id", asked))
    }
    of_pairs = {case.qa_pair_id for case in cases.values()}
    pairs = {
        pair.qa_pair_id: pair
        for commit in built
        for pair in lake.each(commit, QAPair, only=("qa_pair_id", of_pairs))
    }
    for model, request, response in answers:
        case = cases[request.case_id or ""]
        yield model, Answered(case=case, pair=pairs[case.qa_pair_id], request=request, response=response)


def _in_order(
    suite: Suite, models: Sequence[str], answered: Sequence[tuple[str, Answered]]
) -> list[tuple[str, Answered]]:
    """In the order in which they are judged."""
    variant = {name: place for place, name in enumerate(suite.variants)}
    place = {model: number for number, model in enumerate(models)}
    return sorted(
        answered,
        key=lambda found: (
            found[1].pair.context_id,
            found[1].pair.qa_pair_id,
            variant[found[1].case.variant],
            place[found[0]],
        ),
    )
