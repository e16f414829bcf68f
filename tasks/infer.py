"""Infer: cases to prefixes, requests and responses of a model under test."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from functools import lru_cache, partial
from itertools import groupby
from json import loads

from tasks.core.errors import RunFailed
from tasks.core.prefect_engine import task
from tasks.core.rows import Case, Prefix, Response
from tasks.inference.call_records import OperationRecord
from tasks.inference.client import Client
from tasks.inference.cutting import cut_to_fit, emptied
from tasks.inference.images.images import Images
from tasks.inference.imported import check_same
from tasks.inference.operation import Call, Group, Question, portions, prefixes_of, render
from tasks.inference.prompts import fill
from tasks.lake.lake import Commit, Part
from tasks.models.catalogue import Model, Shown, name_of
from tasks.models.windows import Need, check_window
from tasks.pipeline.clients import client_of
from tasks.pipeline.plan import prefixes_step
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.steps import PlannedStep, write_calls
from tasks.suites.suite import AnyOperation
from tasks.text.tokens import count_tokens

# Requests per part, and tokens of the contexts that they show, give or take one context or group of
# contexts: held in memory at once.
REQUEST_SHARD = 512
SHARD_TOKENS = 16_000_000

# Shards whose contexts stay in memory: replicas work on neighbouring shards at the same time.
_SHARDS_AT_HAND = 3


class NothingAnswered(RunFailed):
    """A model whose calls all failed, so there is nothing to judge."""


@task(name="infer prefixes")
def infer_prefixes(run: ResolvedRun, planned: PlannedStep, shown: Shown) -> Commit:
    """Render the prompt prefixes that requests of all models share that are shown the same."""
    if commit := planned.finished():
        return commit
    cases = BuiltCases(run, planned, shown)
    keys = {"suite": run.suite.name, "model": "any", "candidate": "none"}
    parts = []
    # of each operation: cases without a context share theirs between shards
    written: dict[str, set[str]] = defaultdict(set)
    with Images(run.lake.objects) as images:
        for shard in range(len(cases.sizes)):
            for operation, questions in cases.questions(shard):
                known = written[operation.name]
                prefixes = prefixes_of(operation, questions, images=images)
                new = {row.prefix_id: row for row in prefixes if row.prefix_id not in known}
                known |= new.keys()
                if new:
                    keys["operation"] = operation.name
                    parts.append(planned.write(Prefix, new.values(), shard, **keys))
    return planned.commit(parts)


@task(name="infer responses", task_run_name="infer responses of {model}")
def infer_responses(run: ResolvedRun, planned: PlannedStep, model: str) -> Commit:
    """Ask a model all cases; a failed call is a response row with its error.

    All shards are sent together, so no replica waits for a shard's last answer. A shard is written
    as soon as it is complete.

    Raises:
        DoesNotFit: the longest prompt leaves no room for an answer in the window of one of the
            run's models.
        NothingAnswered: every call failed.
    """
    answers = run.context.answers.get(name_of(model))
    commit = planned.finished()
    if commit and (answers is None or _has_just(planned, commit, answers)):
        return commit
    row = run.row(model)
    client = client_of(run, model, remembers=False)
    cases = BuiltCases(run, planned, row.shown)
    prefixes = planned.input(prefixes_step(run, row.shown))
    columns = planned.lake.columns(prefixes, "prefixes", "prefix_id", "n_tokens")
    prefix_tokens: dict[str, int] = dict(columns)
    writing = _Writing(planned, client.model, cases.sizes, prefix_tokens)
    with Images(run.lake.objects) as images:
        _check_fits(run, cases, prefix_tokens, images)
        groups = list(_groups(run, cases, client, row, prefix_tokens, images))
        asyncio.run(_ask(client, groups, writing, answers or {}))
    return planned.commit(writing.finished())


def _has_just(planned: PlannedStep, commit: Commit, answers: Mapping[str, str]) -> bool:
    """Return whether a step has these answers by case and no others; equal prompts share one."""
    rows = [*planned.lake.columns(commit, "requests", "request_id", "case_id", "key")]
    keys = {request_id: key for request_id, _, key in rows}
    of_cases = {case_id: key for _, case_id, key in rows}
    texts = planned.lake.columns(commit, "responses", "request_id", "text")
    imported = {(of_cases[case_id], text) for case_id, text in answers.items()}
    return imported == {(keys[request], text) for request, text in texts if text is not None}


async def _ask(
    client: Client, groups: Sequence[Group], writing: _Writing, answers: Mapping[str, str]
) -> None:
    """Collect all answers; write complete shards in a thread meanwhile."""
    async with aclosing(client.stream(groups)) as stream:
        async for call, response in stream:
            check_same(call, response, answers)
            shard = writing.add(call, response)
            if shard is not None:
                await asyncio.to_thread(writing.write, shard)


class _Writing:
    """Writer of answers as they come: one part per table as soon as a shard is complete.

    Args:
        expected: calls of each shard.
        known: ids of prefixes that the prefixes step keeps, once for all models.
    """

    def __init__(
        self, planned: PlannedStep, model: str, expected: Sequence[int], known: Collection[str]
    ) -> None:
        self.planned, self.model, self.known = planned, model, known
        self.missing = list(expected)
        self.n_answered = 0
        self.last_error: str | None = None  # but of a content filter, whose refusal is a result
        self.records: dict[int, dict[str, OperationRecord]] = {}
        self.parts: list[Part] = []

    def add(self, call: Call, response: Response) -> int | None:
        """Add an answer; return its shard if that is complete now."""
        shard = call.request.shard
        records = self.records.setdefault(shard, {})
        record = records.setdefault(call.request.operation, OperationRecord(self.known))
        record.add(call, response)
        if call.is_primer:
            return None
        if response.status == "ok" or response.error_type == "content_filter":
            self.n_answered += 1
        else:
            self.last_error = f"{response.error_type}: {response.error}"
        self.missing[shard] -= 1
        return None if self.missing[shard] else shard

    def write(self, shard: int) -> None:
        """Write the rows of a complete shard."""
        self.parts += write_calls(self.planned, self.model, self.records.pop(shard), shard)

    def finished(self) -> list[Part]:
        """Return all parts, in shard order.

        Raises:
            NothingAnswered: every call failed, and not all at a content filter.
            RuntimeError: the engine lost a call or answered one twice.
        """
        if not self.n_answered and self.last_error is not None:
            raise NothingAnswered(
                f"{self.model} answered none of its calls, so nothing was committed. "
                f"The last call failed with {self.last_error}.\n"
                "Fix this, then run the same command again, with --retry-failed if its prompts and "
                "limits stay the same."
            )
        if any(self.missing):
            raise RuntimeError(
                f"engine {self.model} lost calls; missing per shard (negative: answered twice): "
                f"{self.missing}"
            )
        return sorted(self.parts, key=lambda part: (part.table, part.keys, part.path))


# --- cases -----------------------------------------------------------------------------------


class BuiltCases:
    """A suite's cases, divided into shards in the order in which they are sent.

    Cases of one context share a prompt prefix, so they are contiguous and in one shard. So are
    those of all its pairs, whatever they show, for a judge reads a pair with each of its cases; and
    those of contexts that start alike, which have one `group` in their details.

    Attributes:
        n_tokens: context_id -> its tokens.
        context_of: qa_pair_id -> context_id of the pair.
        shards: qa_pair_id -> place of its contexts, by how they start.
        sizes: the number of cases of each shard.
    """

    def __init__(self, run: ResolvedRun, planned: PlannedStep, shown: Shown) -> None:
        self.run, self.planned, self.shown = run, planned, shown
        self.n_tokens: dict[str | None, int] = {}
        self.context_of = dict(planned.columns("qa_pairs", "qa_pair_id", "context_id"))
        self.shards: list[dict[str, int]] = []
        self.sizes: list[int] = []
        self.read = lru_cache(_SHARDS_AT_HAND)(self._read)
        self._divide()

    def _divide(self) -> None:
        starts: dict[str, str] = {}
        columns = ("context_id", "n_tokens", "details")
        for context_id, n_tokens, details in self.planned.columns("contexts", *columns):
            self.n_tokens[context_id] = n_tokens
            if '"group"' in details:
                starts[context_id] = loads(details)["group"]
        n_cases: Counter[str] = Counter()  # by pair
        shown: Counter[str] = Counter()  # tokens of their contexts, by pair
        placed = dict(self.context_of)
        for pair, context_id in self.planned.columns("cases", "qa_pair_id", "context_id"):
            n_cases[pair] += 1
            shown[pair] += self.n_tokens.get(context_id, 0)
            # after a build that ended halfway, some cases are of earlier pairs; judging says so
            placed.setdefault(pair, context_id or "")
        start_of = {pair: starts.get(placed[pair], placed[pair]) for pair in n_cases}
        groups = groupby(sorted(n_cases, key=start_of.__getitem__), key=start_of.__getitem__)
        n_shown = 0
        for place, (_, pairs) in enumerate(groups):
            if not self.sizes or self.sizes[-1] >= REQUEST_SHARD or n_shown >= SHARD_TOKENS:
                self.shards.append({})
                self.sizes.append(0)
                n_shown = 0
            for pair in pairs:
                self.shards[-1][pair] = place
                self.sizes[-1] += n_cases[pair]
                n_shown += shown[pair]

    def _read(self, shard: int) -> tuple[list[Case], dict[str, str]]:
        """Read a shard's cases, in the order in which they are sent, and texts of contexts."""
        pairs, variants = self.shards[shard], self.run.suite.variants
        place = {name: number for number, name in enumerate(variants)}

        def order(case: Case) -> tuple[object, ...]:
            variant = place.get(case.variant, len(place))
            pair = case.qa_pair_id
            return pairs[pair], case.context_id or "", pair, variant, case.case_id

        cases = sorted(self.planned.rows(Case, ("qa_pair_id", pairs.keys())), key=order)
        return cases, self.texts(cases)

    def texts(self, cases: Sequence[Case]) -> dict[str, str]:
        """Read the contexts that cases show, by id."""
        ids = {case.context_id for case in cases if case.context_id is not None}
        only = ("context_id", ids)
        return dict(self.planned.columns("contexts", "context_id", "text", only=only))

    def questions(self, shard: int) -> list[tuple[AnyOperation, list[Question]]]:
        """Pose a shard's cases by operation, in order of first appearance."""
        cases, texts = self.read(shard)
        by_operation: dict[str, tuple[AnyOperation, list[Question]]] = {}
        for case in cases:
            operation = self.run.operation_of(case, self.shown)
            _, questions = by_operation.setdefault(operation.name, (operation, []))
            questions.append(_question(operation, case, texts))
        return list(by_operation.values())


def _question(operation: AnyOperation, case: Case, texts: Mapping[str, str]) -> Question:
    # without a context, the prompt keeps its structure
    text = "" if case.context_id is None else texts[case.context_id]
    inputs = operation.inputs.of(case, text)
    return Question(subject_id=case.case_id, case_id=case.case_id, inputs=inputs)


# --- windows ---------------------------------------------------------------------------------


def _check_fits(
    run: ResolvedRun, cases: BuiltCases, prefix_tokens: Mapping[str, int], images: Images
) -> None:
    """Refuse models whose window does not hold the longest prompt of an operation.

    Checks all of the run's models that are shown the same, before any of them is asked.
    """
    rows = [run.row(model) for model in run.models]
    models = [row for row in rows if row.shown == cases.shown and row.window is not None]
    for operation, case in _longest(cases) if models else ():
        question = _question(operation, case, cases.texts([case]))
        if run.cuts and operation.cuts:
            question = emptied(operation, question)
        (call,) = render(operation, "any", [question], None, prefix_tokens, images)
        n_prompt, n_answer = call.request.n_prompt_tokens, operation.sampling.max_tokens
        n_whole = cases.n_tokens.get(cases.context_of.get(case.qa_pair_id))
        shorter = partial(run.shorter_answer, operation, call, n_whole=n_whole)
        for model in models:
            name = f"the longest prompt, of {case.case_id},"
            check_window(Need(model, n_prompt, n_answer, name, shorter))


def _longest(cases: BuiltCases) -> list[tuple[AnyOperation, Case]]:
    """List the case with the longest prompt of each operation, by the sum of its parts' tokens."""
    longest: dict[str, tuple[int, AnyOperation, Case]] = {}
    for case in cases.planned.rows(Case):
        operation = cases.run.operation_of(case, cases.shown)
        is_cut = cases.run.cuts and operation.cuts
        rest = fill(operation.template, asdict(operation.inputs.of(case, ""))).suffix
        n_tokens = count_tokens(rest) + (0 if is_cut else cases.n_tokens.get(case.context_id, 0))
        if operation.name not in longest or longest[operation.name][0] < n_tokens:
            longest[operation.name] = n_tokens, operation, case
    return [(operation, case) for _, operation, case in longest.values()]


# --- groups ----------------------------------------------------------------------------------


def _groups(
    run: ResolvedRun,
    cases: BuiltCases,
    client: Client,
    model: Model,
    prefix_tokens: Mapping[str, int],
    images: Images,
) -> Iterator[Group]:
    """Yield groups of cases that share a prefix; a group renders its prompts when opened."""

    async def opened(
        shard: int, operation: AnyOperation, places: Sequence[int], first: int
    ) -> list[Call]:
        rows, texts = cases.read(shard)
        questions = [_question(operation, rows[place], texts) for place in places]
        calls = render(operation, client.model, questions, client.identity, prefix_tokens, images)
        if run.cuts and operation.cuts:
            calls = cut_to_fit(operation, model, questions, calls, client.identity)
        return [call.placed(shard, seq) for seq, call in enumerate(calls, start=first)]

    # from the last shard, so that the first ones are at hand when they are asked
    shards = range(len(cases.sizes))
    by_prefix = {
        shard: _by_prefix(cases, shard, prefix_tokens, images) for shard in reversed(shards)
    }
    for shard in shards:
        seq = 0
        for operation, prefix_id, of_prefix in by_prefix.pop(shard):
            weight = prefix_tokens[prefix_id]
            for places in portions(of_prefix, weight):
                calls_of = partial(opened, shard, operation, places, seq)
                yield Group(prefix_id, operation.name, weight, len(places), calls_of)
                seq += len(places)


def _by_prefix(
    cases: BuiltCases, shard: int, prefix_tokens: Mapping[str, int], images: Images
) -> list[tuple[AnyOperation, str, list[int]]]:
    """Group a shard's cases by the prefix of their prompts, in order of first appearance.

    Returns (operation, prefix_id, places of the cases).
    """
    prefix_of: dict[str | None, tuple[AnyOperation, str]] = {}  # by case
    for operation, questions in cases.questions(shard):
        prefixes = prefixes_of(operation, questions, prefix_tokens, images)
        for question, prefix in zip(questions, prefixes, strict=True):
            prefix_of[question.case_id] = operation, prefix.prefix_id
    groups: dict[tuple[str, str], tuple[AnyOperation, str, list[int]]] = {}
    for place, case in enumerate(cases.read(shard)[0]):
        operation, prefix_id = prefix_of[case.case_id]
        _, _, places = groups.setdefault((operation.name, prefix_id), (operation, prefix_id, []))
        places.append(place)
    return list(groups.values())
