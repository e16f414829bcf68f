"""Infer: cases -> prefixes, requests and responses of a model under test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.engines import load_engine
from tasks.ledger import Recorded
from tasks.operations import Question, ask, render
from tasks.schemas import Case, Context
from tasks.settings import RunSettings
from tasks.steps import Planned, is_finished, plan_prefixes, plan_responses, write_calls
from tasks.store import Commit, Lake, Part
from tasks.suites import Suite, load_suite

# Requests that one task sends, give or take the size of a prefix group.
REQUEST_SHARD = 512


@task(name="infer prefixes", cache_policy=NO_CACHE)
def infer_prefixes(run: RunSettings) -> Commit:
    """Contexts -> the prompt heads that every model's requests share."""
    lake = Lake(run.lake)
    planned = plan_prefixes(lake, run)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    suite = load_suite(run.suite)
    parts = []
    for shard, cases in enumerate(case_shards(lake, planned, suite)):
        calls = render(suite.answer, "any", _questions(lake, planned, suite, cases))
        prefixes = {call.prefix.prefix_id: call.prefix for call in calls}
        parts.append(
            planned.write(
                lake,
                "prefixes",
                prefixes.values(),
                shard,
                suite=run.suite,
                operation=suite.answer.name,
                model="any",
                candidate="none",
            )
        )
    return planned.commit(lake, parts)


def n_request_shards(run: RunSettings, model: str) -> int:
    """How many shards `infer_responses` has for a model; 0 when the step is finished."""
    lake = Lake(run.lake)
    planned = plan_responses(lake, run, model)
    return 0 if is_finished(lake, planned, run) else len(case_shards(lake, planned, load_suite(run.suite)))


@task(
    name="infer responses", task_run_name="infer responses of {model}, shard {shard}", cache_policy=NO_CACHE
)
def infer_responses(run: RunSettings, model: str, shard: int) -> list[Part]:
    """One shard of cases -> a model's requests and responses; a failed call is a row with its error."""
    lake = Lake(run.lake)
    planned = plan_responses(lake, run, model)
    suite = load_suite(run.suite)
    cases = case_shards(lake, planned, suite)[shard]
    engine = Recorded(load_engine(model, suite.operations, run.workers))
    ask(engine, suite.answer, _questions(lake, planned, suite, cases))
    # the prefixes step has the prompts' heads, once for all models
    return write_calls(lake, planned, run, engine, shard, tables=("requests", "responses"))


@task(name="commit responses", task_run_name="commit responses of {model}", cache_policy=NO_CACHE)
def commit_responses(run: RunSettings, model: str, parts: list[Part]) -> Commit:
    """Make the shards' responses what the judge sees."""
    lake = Lake(run.lake)
    planned = plan_responses(lake, run, model)
    return planned.commit(lake, parts) if parts else planned.finished(lake)


def case_shards(lake: Lake, planned: Planned, suite: Suite) -> list[list[Case]]:
    """The suite's cases in the order in which they are sent.

    Cases of one context are contiguous, because they share their prompt's prefix, and never
    split over two shards.
    """
    built = [commit for commit in planned.inputs if ".build." in commit.step.name]
    key = (str(lake.root), *(commit.content for commit in built))
    if key not in _dealt:
        _dealt.clear()
        _dealt[key] = list(_shards_of(lake, built, suite))
    return _dealt[key]


# The last release's shards: every task of a model asks for its own of them.
_dealt: dict[tuple[str, ...], list[list[Case]]] = {}


def _shards_of(lake: Lake, built: list[Commit], suite: Suite) -> Iterator[list[Case]]:
    order = {name: place for place, name in enumerate(("baseline", *suite.perturbations))}
    cases = [case for commit in built for case in lake.each(commit, Case)]
    cases.sort(key=lambda case: (case.context_id or "", case.qa_pair_id, order[case.perturbation]))
    shard: list[Case] = []
    for _, group in groupby(cases, key=lambda case: case.context_id):
        shard += group
        if len(shard) >= REQUEST_SHARD:
            yield shard
            shard = []
    if shard:
        yield shard


def _questions(lake: Lake, planned: Planned, suite: Suite, cases: list[Case]) -> list[Question]:
    wanted = {case.context_id for case in cases if case.context_id is not None}
    texts = {
        context.context_id: context.text
        for commit in planned.inputs
        for context in lake.each(commit, Context, only=("context_id", wanted))
    }
    return [
        Question(
            subject_id=case.case_id,
            case_id=case.case_id,
            # without a context the prompt keeps its structure, its context is empty
            inputs=suite.answer_inputs(case, "" if case.context_id is None else texts[case.context_id]),
        )
        for case in cases
    ]
