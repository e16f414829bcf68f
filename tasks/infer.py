"""Infer: cases -> prefixes, requests and responses of a model under test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import groupby

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.core.errors import RunFailed
from tasks.core.rows import Case, Context, Prefix, Response
from tasks.core.settings import RunSettings
from tasks.inference.cache.cached_engine import OperationRecord, is_kept
from tasks.inference.client import open_engine
from tasks.inference.operation import Call, Engine, Group, Question, portions, render
from tasks.inference.prompts import fill
from tasks.lake.lake import Commit, Lake, Part
from tasks.models.catalogue import find_model
from tasks.models.gpu_memory import Need, check_layouts
from tasks.pipeline.plan import plan_prefixes, plan_responses
from tasks.pipeline.resolved import resolve
from tasks.pipeline.rules import rules_of
from tasks.pipeline.steps import Planned, is_finished, write_calls
from tasks.suites.suite import AnyOperation, Suite
from tasks.text.tokens import count_tokens

# Requests of one part, give or take the size of a prefix group: what stands in memory at once.
REQUEST_SHARD = 512

# Shards whose contexts stand in memory: replicas go through the plan side by side, not in step.
_SHARDS_AT_HAND = 3


@task(name="infer prefixes", cache_policy=NO_CACHE)
def infer_prefixes(run: RunSettings) -> Commit:
    """Contexts -> the prompt heads that every model's requests share."""
    lake, resolved = Lake(run.lake), resolve(run)
    planned = plan_prefixes(lake, resolved)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    suite = resolved.suite
    parts = []
    for shard, cases in enumerate(case_shards(lake, planned, suite)):
        questions = _questions(suite, cases, _texts(lake, planned, cases))
        prefixes = {call.prefix.prefix_id: call.prefix for call in render(answer_of(suite), "any", questions)}
        parts.append(
            planned.write(
                lake,
                Prefix,
                prefixes.values(),
                shard,
                suite=run.suite,
                operation=answer_of(suite).name,
                model="any",
                candidate="none",
            )
        )
    return planned.commit(lake, parts)


@task(name="infer responses", task_run_name="infer responses of {model}", cache_policy=NO_CACHE)
def infer_responses(run: RunSettings, model: str) -> Commit:
    """Cases -> a model's requests and responses; a failed call is a row with its error.

    All shards travel in one go, so that no replica waits for a shard's last answer; each is written
    when its last answer is there.

    Raises:
        DoesNotFit: the model's window or layout does not hold the longest prompt.
        NothingAnswered: every call failed.
    """
    lake, resolved = Lake(run.lake), resolve(run)
    planned = plan_responses(lake, resolved, model)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    suite = resolved.suite
    engine = open_engine(run, model, suite.operations, rules=rules_of(run, model))
    shards = case_shards(lake, planned, suite)
    prefix_tokens = _prefix_tokens(lake, planned)
    # the longest head and the longest query may be different prompts': a few tokens too many at most
    longest = max(prefix_tokens.values(), default=0) + _longest_suffix(suite, shards)
    check_layouts([Need(find_model(model, run.models_file), longest, answer_of(suite).sampling.max_tokens)])
    groups = list(_groups(lake, planned, suite, engine, shards, prefix_tokens))
    writing = _Writing(lake, planned, run, engine.model, [len(cases) for cases in shards])
    asyncio.run(engine.answer(groups, writing.settle))
    return planned.commit(lake, writing.finished())


def answer_of(suite: Suite) -> AnyOperation:
    """The one operation that asks the suite's cases."""
    (operation,) = suite.answers
    return operation


class NothingAnswered(RunFailed):
    """Not one call to a model came to anything: its answers say nothing about it."""


class _Writing:
    """Answers as they come -> one part a shard and table, as soon as the shard is complete."""

    def __init__(
        self, lake: Lake, planned: Planned, run: RunSettings, model: str, expected: Sequence[int]
    ) -> None:
        self.lake, self.planned, self.run, self.model = lake, planned, run, model
        self.missing = list(expected)
        self.n_answered = 0
        self.last_error: str | None = None  # of those that may be answered another time
        self.records: dict[int, dict[str, OperationRecord]] = {}
        self.parts: list[Part] = []

    async def settle(self, call: Call, response: Response) -> None:
        shard = call.request.shard
        records = self.records.setdefault(shard, {})
        # the prefixes step has the prompts' heads, once for all models
        record = records.setdefault(call.request.operation, OperationRecord(keeps_prefixes=False))
        record.add(call, response)
        if call.is_primer:
            return
        if is_kept(response):
            self.n_answered += 1
        else:
            self.last_error = f"{response.error_type}: {response.error}"
        self.missing[shard] -= 1
        if not self.missing[shard]:
            # in a thread: the other calls go on meanwhile
            self.parts += await asyncio.to_thread(
                write_calls,
                self.lake,
                self.planned,
                self.run,
                self.model,
                self.records.pop(shard),
                shard,
            )

    def finished(self) -> list[Part]:
        """All parts, in shard order.

        Raises:
            NothingAnswered: every call failed, and might not have.
            RuntimeError: the engine lost a call or answered one twice.
        """
        if not self.n_answered and self.last_error is not None:
            raise NothingAnswered(
                f"{self.model} answered none of its calls, the last failed with {self.last_error}; nothing was committed: "
                "see to that, and run the same command again"
            )
        if any(self.missing):
            raise RuntimeError(
                f"engine {self.model}: {self.missing} calls a shard were lost (or answered twice, below 0)"
            )
        return sorted(self.parts, key=lambda part: (part.table, part.keys, part.path))


def case_shards(lake: Lake, planned: Planned, suite: Suite) -> list[list[Case]]:
    """The suite's cases in the order in which they are sent.

    Cases of one context are contiguous, because they share their prompt's prefix, and never
    split over two shards.
    """
    order = {name: place for place, name in enumerate(suite.variants)}
    built = [commit for commit in planned.inputs if ".build." in commit.step.name]
    cases = [case for commit in built for case in lake.each(commit, Case)]
    cases.sort(key=lambda case: (case.context_id or "", case.qa_pair_id, order[case.variant]))
    shards: list[list[Case]] = [[]]
    for _, group in groupby(cases, key=lambda case: case.context_id):
        if len(shards[-1]) >= REQUEST_SHARD:
            shards.append([])
        shards[-1] += group
    return [shard for shard in shards if shard]


def _prefix_tokens(lake: Lake, planned: Planned) -> dict[str, int]:
    """prefix_id -> tokens of every prompt head that the step before has made."""
    prefixes = next(commit for commit in planned.inputs if commit.n_rows("prefixes"))
    return lake.read_pairs(prefixes, "prefixes", "prefix_id", "n_tokens")


def _longest_suffix(suite: Suite, shards: Sequence[Sequence[Case]]) -> int:
    """Tokens of the longest of what varies between prompts on one context."""
    inputs = (asdict(answer_of(suite).inputs.of(case, "")) for cases in shards for case in cases)
    return max((count_tokens(fill(answer_of(suite).template, each).suffix) for each in inputs), default=0)


def _groups(
    lake: Lake,
    planned: Planned,
    suite: Suite,
    engine: Engine,
    shards: Sequence[Sequence[Case]],
    prefix_tokens: Mapping[str, int],
) -> Iterator[Group]:
    contexts = [commit for commit in planned.inputs if commit.n_rows("contexts")]
    n_tokens: dict[str, int] = {}
    for commit in contexts:
        n_tokens |= lake.read_pairs(commit, "contexts", "context_id", "n_tokens")
    texts_of = lru_cache(_SHARDS_AT_HAND)(lambda shard: _texts(lake, planned, shards[shard]))
    for shard, cases in enumerate(shards):
        seq = 0
        for context_id, group in _by_prefix(cases, n_tokens):

            async def opened(group=group, shard=shard, first=seq) -> list[Call]:  # type: ignore[no-untyped-def]
                questions = _questions(suite, group, texts_of(shard))
                calls = render(answer_of(suite), engine.model, questions, engine.identity, prefix_tokens)
                return [call.placed(shard, first + place) for place, call in enumerate(calls)]

            weight = n_tokens.get(context_id, 0)
            yield Group(context_id or "no context", answer_of(suite).name, weight, len(group), opened)
            seq += len(group)


def _by_prefix(cases: Sequence[Case], n_tokens: Mapping[str, int]) -> Iterator[tuple[str, Sequence[Case]]]:
    """(context_id, cases) of each group that is sent together."""
    for context_id, same_context in groupby(cases, key=lambda case: case.context_id or ""):
        for group in portions(list(same_context), n_tokens.get(context_id, 0)):
            yield context_id, group


def _texts(lake: Lake, planned: Planned, cases: Sequence[Case]) -> dict[str, str]:
    wanted = {case.context_id for case in cases if case.context_id is not None}
    return {
        context.context_id: context.text
        for commit in planned.inputs
        if commit.n_rows("contexts")
        for context in lake.each(commit, Context, only=("context_id", wanted))
    }


def _questions(suite: Suite, cases: Sequence[Case], texts: Mapping[str, str]) -> list[Question]:
    return [
        Question(
            subject_id=case.case_id,
            case_id=case.case_id,
            # without a context the prompt keeps its structure, its context is empty
            inputs=answer_of(suite).inputs.of(
                case, "" if case.context_id is None else texts[case.context_id]
            ),
        )
        for case in cases
    ]
