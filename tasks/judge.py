"""Judge: responses to judgements, in waves over all models, and attacks to test the judges.

On occasion 0 a judge rates all answers. On occasion 1 the same calls are sent again for a share of
them, only to compare these verdicts with the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from tasks.core.ids import stable_id
from tasks.core.prefect_engine import task
from tasks.core.rows import AttackVerdict, Case, Context, Judgement, QAPair, Request, Response
from tasks.inference.call_records import OperationRecord, divided
from tasks.lake.lake import Commit, Part
from tasks.models.catalogue import name_of
from tasks.pipeline.clients import client_of, is_played_by_rules
from tasks.pipeline.plan import (
    Models,
    answers_step,
    is_judged_on,
    judged_together,
    plan_judgements,
    stale_commits,
)
from tasks.pipeline.resolved import NamedJudge, ResolvedRun
from tasks.pipeline.steps import MissingInput, PlannedStep, write_calls
from tasks.suites.judge import Answered, units_of

# Answers per wave, of about 24 kB each with the judge's calls.
ANSWERS_TOGETHER = 16_384
RULED_TOGETHER = 2_048

# The steps that one wave judges together, by models.
Plans = Mapping[Models, PlannedStep]


def unjudged(run: ResolvedRun, judge: NamedJudge, occasion: int = 0) -> dict[Models, PlannedStep]:
    """Plan the judgements that are not finished; one wave judges all models together.

    Raises:
        MissingInput: cases or prompts have been replaced since the answers were given.
    """
    models, release = run.models, run.settings.release
    stale = {commit.step.name for commit in stale_commits(run.lake, release)}
    if outdated := [name_of(model) for model in models if answers_step(run, model) in stale]:
        raise MissingInput(
            f"the cases or prompts in release {release} have been replaced since "
            f"{', '.join(outdated)} answered. With the same models, first run:\n  tenkbench infer"
        )
    plans = {
        together: plan_judgements(run, judge, together, occasion)
        for together in judged_together(run, judge)
    }
    return {together: planned for together, planned in plans.items() if not planned.finished()}


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


def waves_of(run: ResolvedRun, judge: NamedJudge, plans: Plans, occasion: int = 0) -> list[Wave]:
    """Divide the shards into waves; of a suite's rule, each shard is one.

    A model's replicas wait for the slowest call of each wave, so waves are as large as memory
    allows; those of `extractive` occupy its processes.
    """
    most = 0
    if judge.model is not None:
        most = RULED_TOGETHER if is_played_by_rules(run, judge.model) else ANSWERS_TOGETHER
    share = run.settings.judge_repeats if occasion else 1.0
    answers = {operation.name for operation in run.suite.answers}
    sizes: Counter[int] = Counter()  # answers of each shard
    for models, planned in plans.items():
        for part in planned.input(answers_step(run, models[0])).parts_of("responses"):
            if dict(part.keys)["operation"] in answers:
                sizes[part.shard] += part.n_rows
    waves: list[Wave] = []
    for shard, n_answers in sorted(sizes.items()):
        n_judgements, start = round(share * n_answers), shard
        if waves and waves[-1].n_judgements + n_judgements <= most:
            last = waves.pop()
            n_judgements, start = n_judgements + last.n_judgements, last.shards.start
        waves.append(Wave(len(waves), range(start, shard + 1), n_judgements))
    return [replace(wave, of=len(waves)) for wave in waves]


@task(name="judge answers", task_run_name="judge answers by {judge.name}, wave {wave.number}")
def judge_answers(
    run: ResolvedRun, judge: NamedJudge, plans: Plans, wave: Wave, occasion: int = 0
) -> dict[Models, list[Part]]:
    """Judge one wave of all models' answers and return the written parts by models.

    Answers are in (context, pair, variant, model) order: all models' answers to a question share a
    prompt prefix, so model by model the judge would read each prefix once per model.
    """
    engine = None if judge.model is None else client_of(run, judge.model, _part(wave, occasion))
    models_of = {tuple(map(name_of, models)): models for models in plans}
    answers = [answer for shard in wave.shards for answer in _answered(run, judge, plans, shard)]
    if occasion:  # the judge never saw failed calls
        answers = [
            replace(answered, occasion=occasion)
            for answered in answers
            if answered.response.status == "ok"
            and is_judged_on(occasion, run.settings, answered.case.case_id)
        ]
    in_order = _in_order(run, list(dict.fromkeys(chain(*models_of))), answers)
    units = [unit for unit in units_of(judge.judge.unit, in_order) if unit.models in models_of]
    rows: dict[Models, list[Judgement]] = {models: [] for models in plans}
    judgements = list(judge.judge.run(units, engine, run.options))
    for unit, row in zip(units, judgements, strict=True):
        if occasion:
            repeated = stable_id("judgement", row.judgement_id, occasion)
            row = replace(row, judgement_id=repeated, repeat=occasion)
        if not occasion or row.judge_request_id:  # else no model was asked: nothing is repeated
            rows[models_of[unit.models]].append(row)
    records: Mapping[Models, Mapping[str, OperationRecord]] = {}
    if engine is not None:
        of_unit = {unit.subject_id: models_of[unit.models] for unit in units}
        records = divided(engine.records, lambda request: of_unit[request.subject_id])
    parts: dict[Models, list[Part]] = {}
    for models, planned in plans.items():
        model = name_of(models[0])
        keys = {"suite": run.suite.name, "judge": judge.name, "model": model}
        parts[models] = [planned.write(Judgement, rows[models], wave.number, **keys)]
        if engine is not None:
            calls = records.get(models, {})
            parts[models] += write_calls(planned, engine.model, calls, wave.number, model)
    return parts


@task(name="commit judgements", task_run_name="commit {planned.step.name}")
def commit_judgements(planned: PlannedStep, parts: list[Part]) -> Commit:
    """Make the judgements of all waves visible to readers."""
    return planned.commit(parts)


@task(name="judge attacks", task_run_name="judge attacks by {judge.name}")
def judge_attacks(run: ResolvedRun, planned: PlannedStep, judge: NamedJudge) -> Commit:
    """Have one judge rate the suite's attack set."""
    if commit := planned.finished():
        return commit
    attacks = judge.judge.attacks
    assert attacks is not None
    assert judge.model is not None
    engine = client_of(run, judge.model, "attacks")
    verdicts = list(attacks(engine, judge.name))
    parts = [planned.write(AttackVerdict, verdicts, suite=run.suite.name, judge=judge.name)]
    return planned.commit(parts + write_calls(planned, engine.model, engine.records))


def _part(wave: Wave, occasion: int) -> str:
    """Name a wave, for progress."""
    parts = ["once more"] if occasion else []
    parts += [f"wave {wave.number + 1} of {wave.of}"] if wave.of > 1 else []
    return ", ".join(parts)


def _answered(run: ResolvedRun, judge: NamedJudge, plans: Plans, shard: int) -> Iterator[Answered]:
    """Yield all models' answered cases of one shard, for a judge."""
    answers: list[tuple[Request, Response]] = []
    commits = {
        model: planned.input(answers_step(run, model))
        for models, planned in plans.items()
        for model in models
    }
    for commit, operation in product(commits.values(), run.suite.answers):
        requests = run.lake.read_shard(commit, Request, shard, operation=operation.name)
        responses = run.lake.read_shard(commit, Response, shard, operation=operation.name)
        response_of = {response.request_id: response for response in responses}
        answers += [
            # no judge reads a prompt; those of a wave may be more than memory holds
            (replace(request, suffix="", fields=()), response_of[request.request_id])
            for request in requests
        ]
    planned = next(iter(plans.values()))
    case_ids = {request.case_id or "" for request, _ in answers}
    cases = {case.case_id: case for case in planned.rows(Case, ("case_id", case_ids))}
    pair_ids = {case.qa_pair_id for case in cases.values()}
    pairs = {pair.qa_pair_id: pair for pair in planned.rows(QAPair, ("qa_pair_id", pair_ids))}
    context_of = {
        case.case_id: judge.judge.context_of(case, pairs[case.qa_pair_id]) or ""
        for case in cases.values()
    }
    read = planned.rows(Context, ("context_id", {*context_of.values()}))
    texts = {context.context_id: context.text for context in (read if judge.judge.reads else ())}
    for request, response in answers:
        case = cases[request.case_id or ""]
        yield Answered(
            case=case,
            pair=pairs[case.qa_pair_id],
            request=request,
            response=response,
            judge=judge.name,
            context=texts.get(context_of[case.case_id], ""),
        )


def _in_order(
    run: ResolvedRun, models: Sequence[str], answers: Sequence[Answered]
) -> list[Answered]:
    """Sort answers into the order in which they are judged."""
    variant = {name: place for place, name in enumerate(run.suite.variants)}
    place = {model: number for number, model in enumerate(models)}
    return sorted(
        answers,
        key=lambda answered: (
            answered.pair.context_id,
            answered.pair.qa_pair_id,
            variant.get(answered.case.variant, len(variant)),
            place[answered.request.model],
        ),
    )
