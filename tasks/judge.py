"""Judge: responses to judgements, in waves over all models, and attacks to test the judges.

On occasion 0 a judge rates all answers. On occasion 1 the same calls are sent again for a share of
them; these verdicts are compared with the first and count nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.prefect_engine import task
from tasks.core.rows import AttackVerdict, Case, Context, Judgement, QAPair, Request, Response
from tasks.inference.call_records import OperationRecord, divided
from tasks.inference.client import Client
from tasks.inference.context import RunContext
from tasks.lake.lake import Commit, Lake, Part
from tasks.models.catalogue import name_of
from tasks.pipeline.clients import client_of, is_played_by_rules
from tasks.pipeline.plan import (
    answers_step,
    is_judged_on,
    judged_together,
    plan_attack_verdicts,
    plan_judgements,
    stale_commits,
)
from tasks.pipeline.resolved import NamedJudge, ResolvedRun
from tasks.pipeline.steps import MissingInput, Planned, committed, is_finished, write_calls
from tasks.suites.judge import Answered, units_of
from tasks.suites.suite import Suite

# Answers per wave, of about 24 kB each with the judge's calls.
ANSWERS_TOGETHER = 16_384
RULED_TOGETHER = 2_048

# The models of one judgement: one, or the two compared, in the order shown.
Models = tuple[str, ...]


def unjudged(run: ResolvedRun, judge: NamedJudge, occasion: int = 0) -> list[Models]:
    """List the models whose judgements are not finished; one wave judges them together.

    Raises:
        MissingInput: cases or prompts have been replaced since the answers were given.
    """
    settings, lake = run.settings, run.lake
    stale = {commit.step.name for commit in stale_commits(lake, settings.release)}
    outdated = [
        name_of(model) for model in settings.model if answers_step(settings, model) in stale
    ]
    if outdated:
        raise MissingInput(
            f"the cases or prompts in release {settings.release} have been replaced since "
            f"{', '.join(outdated)} answered. With the same models, first run:\n  tenkbench infer"
        )
    return [
        models
        for models in judged_together(run, judge)
        if not is_finished(plan_judgements(run, judge, models, occasion), settings)
    ]


@dataclass(frozen=True, slots=True)
class Wave:
    """Shards of all models' answers that are judged together.

    Attributes:
        of: the number of waves.
    """

    number: int
    shards: range
    n_judgements: int
    of: int = 1


def waves_of(
    run: ResolvedRun, judge: NamedJudge, judged: Sequence[Models], occasion: int = 0
) -> list[Wave]:
    """Divide the shards into waves, each as large as fits in memory.

    A model's replicas wait for the slowest call of each wave, so fewer waves are faster. Rules wait
    for nobody: a suite's rule judges shard by shard, and `extractive` what occupies its processes.
    """
    settings, lake = run.settings, run.lake
    most = 0
    if judge.model is not None:
        is_rules = is_played_by_rules(settings, judge.model)
        most = RULED_TOGETHER if is_rules else ANSWERS_TOGETHER
    share = settings.judge_repeats if occasion else 1.0
    sizes = {
        model: _shard_sizes(
            committed(lake, settings.release, answers_step(settings, model)), run.suite
        )
        for model in dict.fromkeys(chain.from_iterable(judged))
    }
    waves: list[Wave] = []
    of_shards = zip_longest(*(sizes[models[0]] for models in judged), fillvalue=0)
    for shard, n_answers in enumerate(of_shards):
        n_judgements = round(share * sum(n_answers))
        if waves and waves[-1].n_judgements + n_judgements <= most:
            last = waves.pop()
            shards = range(last.shards.start, shard + 1)
            n_judgements += last.n_judgements
        else:
            shards = range(shard, shard + 1)
        waves.append(Wave(len(waves), shards, n_judgements))
    return [replace(wave, of=len(waves)) for wave in waves]


def _shard_sizes(commit: Commit, suite: Suite) -> list[int]:
    """Count the answers of each shard of a model's answers."""
    answers = {operation.name for operation in suite.answers}
    sizes: dict[int, int] = {}
    for part in commit.parts_of("responses"):
        if dict(part.keys)["operation"] in answers:
            sizes[part.shard] = sizes.get(part.shard, 0) + part.n_rows
    return [sizes[shard] for shard in sorted(sizes)]


@task(
    name="judge answers",
    task_run_name="judge answers by {judge.name}, wave {wave.number}",
)
def judge_answers(
    run: ResolvedRun,
    context: RunContext,
    judge: NamedJudge,
    judged: Sequence[Models],
    wave: Wave,
    occasion: int = 0,
) -> dict[Models, list[Part]]:
    """Judge one wave of all models' answers and return the written parts by models.

    Answers are in (context, pair, variant, model) order: all models' answers to a question share a
    prompt prefix, so model by model the judge would read each prefix once per model.
    """
    settings, lake = run.settings, run.lake
    plans = {models: plan_judgements(run, judge, models, occasion) for models in judged}
    engine: Client | None = None
    if judge.model is not None:
        part = _part_name(wave, occasion)
        engine = client_of(
            settings, context, judge.model, run.suite.operations, part, shorter=run.shorter
        )
    named = {tuple(map(name_of, models)): models for models in plans}
    found = [each for shard in wave.shards for each in _answered(lake, run, judge, plans, shard)]
    if occasion:  # the judge never saw failed calls
        found = [
            replace(answered, occasion=occasion)
            for answered in found
            if answered.response.status == "ok"
            and is_judged_on(occasion, settings, answered.case.case_id)
        ]
    in_order = _in_order(run.suite, list(dict.fromkeys(chain(*named))), found)
    units = [unit for unit in units_of(judge.judge.unit, in_order) if unit.models in named]
    models_of = {unit.subject_id: named[unit.models] for unit in units}
    records: Mapping[Models, Mapping[str, OperationRecord]] = {}
    judgements = list(judge.judge.run(units, engine, run.options))
    if engine is not None:
        records = divided(engine.records, lambda request: models_of[request.subject_id])
    rows: dict[Models, list[Judgement]] = {models: [] for models in plans}
    for unit, row in zip(units, judgements, strict=True):
        if not occasion:
            rows[named[unit.models]].append(row)
        elif row.judge_request_id is not None:  # else no model was asked, and nothing is repeated
            rows[named[unit.models]].append(_repeated(row, occasion))
    parts: dict[Models, list[Part]] = {}
    for models, planned in plans.items():
        candidate = name_of(models[0])
        keys = {"suite": run.suite.name, "judge": judge.name, "model": candidate}
        parts[models] = [planned.write(Judgement, rows[models], wave.number, **keys)]
        if engine is not None:
            calls = records.get(models, {})
            parts[models] += write_calls(
                planned, settings, engine.model, calls, wave.number, candidate=candidate
            )
    return parts


def _commit_name(parameters: dict[str, Any]) -> str:
    return f"commit judgements of {', '.join(parameters['models'])} by {parameters['judge'].name}"


@task(name="commit judgements", task_run_name=_commit_name)
def commit_judgements(
    run: ResolvedRun, judge: NamedJudge, models: Models, parts: list[Part], occasion: int = 0
) -> Commit:
    """Make the judgements of all waves visible to readers."""
    return plan_judgements(run, judge, models, occasion).commit(parts)


@task(name="judge attacks", task_run_name="judge attacks by {judge.name}")
def judge_attacks(run: ResolvedRun, context: RunContext, judge: NamedJudge) -> Commit:
    """Have one judge rate the suite's attack set."""
    settings = run.settings
    planned = plan_attack_verdicts(run, judge)
    if is_finished(planned, settings):
        return planned.finished()
    attacks = judge.judge.attacks
    assert attacks is not None
    assert judge.model is not None
    engine = client_of(settings, context, judge.model, run.suite.operations, "attacks")
    verdicts = list(attacks(engine, judge.name))
    suite = run.suite.name
    parts = [planned.write(AttackVerdict, verdicts, suite=suite, judge=judge.name)]
    return planned.commit(parts + write_calls(planned, settings, engine.model, engine.records))


def _part_name(wave: Wave, occasion: int) -> str:
    parts = ["once more"] if occasion else []
    parts += [f"wave {wave.number + 1} of {wave.of}"] if wave.of > 1 else []
    return ", ".join(parts)


def _repeated(row: Judgement, repeat: int) -> Judgement:
    """Give a repeated judgement its own id."""
    return replace(
        row, judgement_id=stable_id("judgement", row.judgement_id, repeat), repeat=repeat
    )


def _answered(
    lake: Lake, run: ResolvedRun, judge: NamedJudge, plans: Mapping[Models, Planned], shard: int
) -> Iterator[Answered]:
    """Yield all models' answered cases of one shard, for a judge."""
    operations = [operation.name for operation in run.suite.answers]
    commits = {
        model: planned.input(answers_step(run.settings, model))
        for models, planned in plans.items()
        for model in models
    }
    answers: list[tuple[Request, Response]] = []
    for commit in commits.values():
        for operation in operations:
            requests = lake.read_shard(commit, Request, shard, operation=operation)
            responses = lake.read_shard(commit, Response, shard, operation=operation)
            response_of = {response.request_id: response for response in responses}
            answers += [
                # no judge reads a prompt; those of a wave may be more than memory holds
                (replace(request, suffix="", fields=()), response_of[request.request_id])
                for request in requests
            ]
    built = [
        commit for commit in next(iter(plans.values())).inputs if ".build." in commit.step.name
    ]
    asked = {request.case_id or "" for request, _ in answers}
    cases = {
        case.case_id: case
        for commit in built
        for case in lake.each(commit, Case, only=("case_id", asked))
    }
    of_pairs = {case.qa_pair_id for case in cases.values()}
    pairs = {
        pair.qa_pair_id: pair
        for commit in built
        for pair in lake.each(commit, QAPair, only=("qa_pair_id", of_pairs))
    }
    of_contexts = {
        judge.judge.context_of(case, pairs[case.qa_pair_id]) or "" for case in cases.values()
    }
    texts = {
        context.context_id: context.text
        for commit in (built if judge.judge.reads else ())
        for context in lake.each(commit, Context, only=("context_id", of_contexts))
    }
    for request, response in answers:
        case = cases[request.case_id or ""]
        pair = pairs[case.qa_pair_id]
        yield Answered(
            case=case,
            pair=pair,
            request=request,
            response=response,
            judge=judge.name,
            context=texts.get(judge.judge.context_of(case, pair) or "", ""),
        )


def _in_order(suite: Suite, models: Sequence[str], answered: Sequence[Answered]) -> list[Answered]:
    """Sort answers into the order in which they are judged."""
    variant = {name: place for place, name in enumerate(suite.variants)}
    place = {model: number for number, model in enumerate(models)}
    return sorted(
        answered,
        key=lambda found: (
            found.pair.context_id,
            found.pair.qa_pair_id,
            variant.get(found.case.variant, len(variant)),
            place[found.request.model],
        ),
    )
