"""Infer: cases to prefixes, requests and responses of a model under test."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from itertools import groupby
from json import loads

from tasks.core.errors import RunFailed
from tasks.core.prefect_engine import task
from tasks.core.rows import Case, Prefix, Response
from tasks.inference.cache.response_cache import is_kept
from tasks.inference.call_records import OperationRecord
from tasks.inference.client import Client
from tasks.inference.context import RunContext
from tasks.inference.cutting import cut_to_fit, emptied
from tasks.inference.images.images import Images
from tasks.inference.imported import check_same
from tasks.inference.operation import (
    NOT_IMPORTED_TYPE,
    Call,
    Group,
    Question,
    portions,
    prefixes_of,
    render,
)
from tasks.inference.prompts import fill_suffix
from tasks.lake.lake import Commit, Lake, Part
from tasks.models.catalogue import Model, Shown, find_model, name_of
from tasks.models.windows import Need, check_windows, fits
from tasks.pipeline.clients import client_of, images_of
from tasks.pipeline.plan import plan_prefixes, plan_responses, prefixes_step
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import Planned, is_finished, write_calls
from tasks.suites.suite import AnyOperation, Suite
from tasks.text.tokens import DEFAULT_ENCODING, count_tokens

# Requests per part, and tokens of the contexts that they show, give or take one context or group of
# contexts: held in memory at once.
REQUEST_SHARD = 512
SHARD_TOKENS = 16_000_000

# Shards whose contexts stay in memory: replicas work on neighbouring shards at the same time.
_SHARDS_AT_HAND = 3


@task(name="infer prefixes")
def infer_prefixes(run: ResolvedRun, shown: Shown) -> Commit:
    """Render the prompt prefixes that requests of all models share that are shown the same."""
    suite, lake = run.suite, run.lake
    planned = plan_prefixes(run, shown)
    if is_finished(planned, run.settings):
        return planned.finished()
    parts = []
    # of each operation: cases without a context share theirs between shards
    written: dict[str, set[str]] = defaultdict(set)
    n_tokens = _context_tokens(lake, planned)
    with images_of(run) as images:
        for shard, of_shard in enumerate(case_shards(lake, planned)):
            cases = cases_of(lake, planned, suite, of_shard)
            texts = _texts(lake, planned, cases)
            text_tokens = {
                text: n_tokens[context_id]
                for context_id, text in texts.items()
                if context_id in n_tokens
            }
            for operation, asked in _by_operation(run, cases, shown):
                keys = {
                    "suite": suite.name,
                    "operation": operation.name,
                    "model": "any",
                    "candidate": "none",
                }
                found = _prefixes(operation, asked, texts, text_tokens, images)
                rows = [row for each, row in found.items() if each not in written[operation.name]]
                written[operation.name].update(found)
                if rows:
                    parts.append(planned.write(Prefix, rows, shard, **keys))
    return planned.commit(parts)


def _prefixes(
    operation: AnyOperation,
    asked: Sequence[Case],
    texts: Mapping[str, str],
    text_tokens: Mapping[str, int],
    images: Images,
) -> dict[str, Prefix]:
    """Map each prefix_id to its prefix, in order of first appearance."""
    questions = _questions(operation, asked, texts)
    found = prefixes_of(operation, questions, images=images, text_tokens=text_tokens)
    return {prefix.prefix_id: prefix for prefix in found}


@task(name="infer responses", task_run_name="infer responses of {model}")
def infer_responses(run: ResolvedRun, context: RunContext, model: str) -> Commit:
    """Ask a model all cases; a failed call is a response row with its error.

    All shards are sent together, so no replica waits for a shard's last answer. A shard is written
    as soon as it is complete.

    Raises:
        DoesNotFit: the longest prompt leaves no room for an answer in the window or layout of this
            model, or of another one that the run will ask.
        NothingAnswered: every call failed.
    """
    settings, suite, lake = run.settings, run.suite, run.lake
    planned = plan_responses(run, model)
    answers = context.answers.get(name_of(model))
    if is_finished(planned, settings):
        commit = planned.finished()
        if answers is None or _has_just(lake, commit, answers):
            return commit
    client = client_of(settings, context, model, suite.operations, remembers=False)
    shards = case_shards(lake, planned)
    row = find_model(model, settings.models_file)
    prefix_tokens = _prefix_tokens(lake, planned, run, row.shown)
    sizes = [shard.n_cases for shard in shards]
    writing = _Writing(lake, planned, settings, client.model, sizes, prefix_tokens.keys())
    with images_of(run) as images:
        _check_fits(lake, planned, run, row.shown, shards, prefix_tokens, images)
        groups = list(_groups(lake, planned, run, client, row, shards, prefix_tokens, images))
        asyncio.run(_ask(client, groups, writing, answers or {}))
    return planned.commit(writing.finished())


def _has_just(lake: Lake, commit: Commit, answers: Mapping[str, str]) -> bool:
    """Return whether a step has these answers by case and no others; equal prompts share one."""
    keys = dict(lake.columns(commit, "requests", "request_id", "key"))
    of_cases = dict(lake.columns(commit, "requests", "case_id", "key"))
    texts = lake.columns(commit, "responses", "request_id", "text")
    given = {(of_cases[case_id], text) for case_id, text in answers.items()}
    return given == {(keys[each], text) for each, text in texts if text is not None}


async def _ask(
    client: Client, groups: Sequence[Group], writing: _Writing, answers: Mapping[str, str]
) -> None:
    """Collect all answers; write complete shards in a thread meanwhile."""
    written = None
    async with aclosing(client.stream(groups)) as stream:
        async for call, response in stream:
            check_same(call, response, answers)
            shard = writing.add(call, response)
            if shard is not None:
                if written is not None:
                    await written
                written = asyncio.create_task(asyncio.to_thread(writing.write, shard))
    if written is not None:
        await written


class NothingAnswered(RunFailed):
    """A model whose calls all failed, so there is nothing to judge."""


class _Writing:
    """Writer of answers as they come: one part per table as soon as a shard is complete."""

    def __init__(
        self,
        lake: Lake,
        planned: Planned,
        run: RunSettings,
        model: str,
        expected: Sequence[int],
        kept: Collection[str],
    ) -> None:
        self.lake, self.planned, self.run, self.model = lake, planned, run, model
        self.kept = kept  # ids of prefixes that the prefixes step keeps, once for all models
        self.missing = list(expected)
        self.n_answered = 0
        self.last_error: str | None = None  # but of a content filter, whose refusal is a result
        self.again = ""  # how to run the command again
        self.records: dict[int, dict[str, OperationRecord]] = {}
        self.parts: list[Part] = []

    def add(self, call: Call, response: Response) -> int | None:
        """Add an answer; return its shard if that is complete now."""
        shard = call.request.shard
        records = self.records.setdefault(shard, {})
        record = records.setdefault(call.request.operation, OperationRecord(self.kept))
        record.add(call, response)
        if call.is_primer:
            return None
        if response.status == "ok" or response.error_type == "content_filter":
            self.n_answered += 1
        else:
            self.last_error = f"{response.error_type}: {response.error}"
            is_imported = response.error_type == NOT_IMPORTED_TYPE
            retries = is_kept(response) and not is_imported
            self.again = "again with --retry-failed" if retries else "again"
        self.missing[shard] -= 1
        return None if self.missing[shard] else shard

    def write(self, shard: int) -> None:
        """Write the rows of a complete shard."""
        records = self.records.pop(shard)
        self.parts += write_calls(self.planned, self.run, self.model, records, shard)

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
                f"Fix this, then run the same command {self.again}."
            )
        if any(self.missing):
            raise RuntimeError(
                f"engine {self.model} lost calls; missing per shard (negative: answered twice): "
                f"{self.missing}"
            )
        return sorted(self.parts, key=lambda part: (part.table, part.keys, part.path))


@dataclass(frozen=True, slots=True)
class CaseShard:
    """Cases that are asked and written together, by their pairs: a pair can have several.

    `cases_of` reads them.
    """

    pairs: dict[str, int]  # qa_pair_id -> place of its contexts, by how they start
    n_cases: int


def case_shards(lake: Lake, planned: Planned) -> list[CaseShard]:
    """Divide the suite's cases into shards, in the order in which they are sent.

    Cases of one context share a prompt prefix, so they are contiguous and in one shard. So are
    those of all pairs of one context, whatever they show, for a judge reads a pair with each of its
    cases; and those of contexts that start alike, which have one `group` in their details. Pairs of
    an earlier build are placed by the first context that shows them.
    """
    n_tokens, starts = _contexts(lake, planned)
    contexts_of_pairs = _contexts_of_pairs(lake, planned)
    n_cases: Counter[str] = Counter()  # by pair
    shown: Counter[str] = Counter()  # tokens of their contexts, by pair
    for commit in _built(planned):
        columns = lake.columns(commit, "cases", "qa_pair_id", "context_id")
        for qa_pair_id, context_id in columns:
            n_cases[qa_pair_id] += 1
            shown[qa_pair_id] += n_tokens.get(context_id, 0)
            # after a build that ended halfway, some cases are of earlier pairs; judging says so
            contexts_of_pairs.setdefault(qa_pair_id, context_id or "")

    def start_of(qa_pair_id: str) -> str:
        context_id = contexts_of_pairs[qa_pair_id]
        return starts.get(context_id, context_id)

    shards: list[list[list[str]]] = [[]]
    n_waiting, n_shown = 0, 0  # cases and tokens of the last shard
    for _, of_group in groupby(sorted(n_cases, key=start_of), key=start_of):
        if n_waiting >= REQUEST_SHARD or n_shown >= SHARD_TOKENS:
            shards.append([])
            n_waiting, n_shown = 0, 0
        shards[-1].append([*of_group])
        n_waiting += sum(n_cases[pair] for pair in shards[-1][-1])
        n_shown += sum(shown[pair] for pair in shards[-1][-1])
    return [
        CaseShard(
            {pair: place for place, group in enumerate(groups) for pair in group},
            sum(n_cases[pair] for group in groups for pair in group),
        )
        for groups in shards
        if groups
    ]


def _built(planned: Planned) -> list[Commit]:
    return [commit for commit in planned.inputs if ".build." in commit.step.name]


def cases_of(lake: Lake, planned: Planned, suite: Suite, shard: CaseShard) -> list[Case]:
    """Read a shard's cases, in the order in which they are sent."""
    place = {name: number for number, name in enumerate(suite.variants)}
    only = ("qa_pair_id", shard.pairs.keys())
    read = (case for commit in _built(planned) for case in lake.each(commit, Case, only))
    return sorted(
        read,
        key=lambda case: (
            shard.pairs[case.qa_pair_id],
            case.context_id or "",
            case.qa_pair_id,
            place.get(case.variant, len(place)),
            case.case_id,
        ),
    )


def _prefix_tokens(lake: Lake, planned: Planned, run: ResolvedRun, shown: Shown) -> dict[str, int]:
    """Map each prefix_id of the prefixes step to its number of tokens."""
    prefixes = planned.input(prefixes_step(run, shown))
    return dict(lake.columns(prefixes, "prefixes", "prefix_id", "n_tokens"))


def _context_tokens(lake: Lake, planned: Planned) -> dict[str, int]:
    """Map each context_id to its number of tokens, if they are those of prompts."""
    n_tokens: dict[str, int] = {}
    for commit in planned.inputs:
        if commit.n_rows("contexts"):
            only = ("encoding", {DEFAULT_ENCODING})
            n_tokens |= lake.columns(commit, "contexts", "context_id", "n_tokens", only=only)
    return n_tokens


def _contexts(lake: Lake, planned: Planned) -> tuple[dict[str | None, int], dict[str | None, str]]:
    """Map each context_id to its number of tokens, and to its group if it has one."""
    n_tokens: dict[str | None, int] = {}
    groups: dict[str | None, str] = {}
    for commit in planned.inputs:
        if commit.n_rows("contexts"):
            n_tokens |= lake.columns(commit, "contexts", "context_id", "n_tokens")
            groups |= {
                context_id: loads(details)["group"]
                for context_id, details in lake.columns(commit, "contexts", "context_id", "details")
                if '"group"' in details
            }
    return n_tokens, groups


def _contexts_of_pairs(lake: Lake, planned: Planned) -> dict[str, str]:
    """Map each qa_pair_id to the context_id of its pair."""
    found: dict[str, str] = {}
    for commit in planned.inputs:
        found |= lake.columns(commit, "qa_pairs", "qa_pair_id", "context_id")
    return found


def _check_fits(
    lake: Lake,
    planned: Planned,
    run: ResolvedRun,
    shown: Shown,
    shards: Sequence[CaseShard],
    prefix_tokens: Mapping[str, int],
    images: Images,
) -> None:
    """Refuse models whose window or layout does not hold the longest prompt.

    Looks at all models that are shown the same and that the run has still to ask, so that none is
    asked in vain.
    """
    settings = run.settings
    # at most, and without a text: the longest prefix, context and rest, even of three prompts
    head = max(prefix_tokens.values(), default=0)
    head += max(_contexts(lake, planned)[0].values(), default=0)
    longest: dict[int, int] = {}  # most tokens of an answer -> those of a prompt
    for case in (case for commit in _built(planned) for case in lake.each(commit, Case)):
        operation = run.operation_of(case, shown)
        rest = fill_suffix(operation.template, asdict(operation.inputs.of(case, "")))
        answer = operation.sampling.max_tokens
        longest[answer] = max(longest.get(answer, 0), head + count_tokens(rest))
    models = [
        row
        for model in settings.model
        for row in [find_model(model, settings.models_file)]
        if row.shown == shown
        and not all(fits(Need(row, prompt, answer)) for answer, prompt in longest.items())
        and not is_finished(plan_responses(run, model), settings)
    ]
    if models:
        check_windows(_needs(lake, planned, run, shown, models, shards, prefix_tokens, images))


def _needs(
    lake: Lake,
    planned: Planned,
    run: ResolvedRun,
    shown: Shown,
    models: Sequence[Model],
    shards: Sequence[CaseShard],
    prefix_tokens: Mapping[str, int],
    images: Images,
) -> Iterator[Need]:
    """Yield each model with the longest of its prompts, without what may be cut of it."""
    operations: dict[str, AnyOperation] = {}
    longest: dict[tuple[str, bool], tuple[Call, Case]] = {}  # True: without what may be cut
    for shard in shards:
        cases = cases_of(lake, planned, run.suite, shard)
        texts = _texts(lake, planned, cases)
        for operation, asked in _by_operation(run, cases, shown):
            operations[operation.name] = operation
            questions = _questions(operation, asked, texts)
            for is_cut in (False, True) if operation.cuts else (False,):
                posed = [emptied(operation, each) for each in questions] if is_cut else questions
                calls = render(operation, "any", posed, None, prefix_tokens, images)
                for each in zip(calls, asked, strict=True):
                    before = longest.get((operation.name, is_cut))
                    if before is None or _length_of(before[0]) < _length_of(each[0]):
                        longest[operation.name, is_cut] = each
    n_tokens = _contexts(lake, planned)[0]
    built_from = _contexts_of_pairs(lake, planned)
    for operation in operations.values():
        for model in models:
            is_cut = run.cuts and operation.cuts is not None and model.window is not None
            call, case = longest[operation.name, is_cut]
            n_whole = n_tokens.get(built_from.get(case.qa_pair_id))
            shorter = partial(run.shorter_answer, operation, call, n_whole=n_whole)
            name = f"the longest prompt, of {case.case_id},"
            yield Need(model, _length_of(call), operation.sampling.max_tokens, name, shorter)


def _length_of(call: Call) -> int:
    return call.request.n_prompt_tokens


def _groups(
    lake: Lake,
    planned: Planned,
    run: ResolvedRun,
    client: Client,
    model: Model,
    shards: Sequence[CaseShard],
    prefix_tokens: Mapping[str, int],
    images: Images,
) -> Iterator[Group]:
    """Yield groups of cases that share a prefix; a group renders its prompts when opened."""

    @lru_cache(_SHARDS_AT_HAND)
    def at_hand(shard: int) -> tuple[list[Case], dict[str, str]]:
        cases = cases_of(lake, planned, run.suite, shards[shard])
        return cases, _texts(lake, planned, cases)

    # from the last shard, so that the first ones are at hand when they are asked
    by_prefix = {
        shard: _by_prefix(run, *at_hand(shard), model.shown, prefix_tokens, images)
        for shard in reversed(range(len(shards)))
    }
    for shard in range(len(shards)):
        seq = 0
        for operation, prefix_id, asked in by_prefix.pop(shard):
            weight = prefix_tokens[prefix_id]
            for group in portions(asked, weight):

                async def opened(  # type: ignore[no-untyped-def]
                    operation=operation, group=group, shard=shard, first=seq
                ) -> list[Call]:
                    cases, texts = at_hand(shard)
                    questions = _questions(operation, [cases[each] for each in group], texts)
                    calls = render(
                        operation, client.model, questions, client.identity, prefix_tokens, images
                    )
                    if run.cuts and operation.cuts:
                        calls = cut_to_fit(operation, model, questions, calls, client.identity)
                    return [call.placed(shard, first + place) for place, call in enumerate(calls)]

                yield Group(prefix_id, operation.name, weight, len(group), opened)
                seq += len(group)


def _by_prefix(
    run: ResolvedRun,
    cases: Sequence[Case],
    texts: Mapping[str, str],
    shown: Shown,
    prefix_tokens: Mapping[str, int],
    images: Images,
) -> list[tuple[AnyOperation, str, list[int]]]:
    """Group cases by the prefix of their prompts, in order of first appearance.

    Returns (operation, prefix_id, places of the cases).
    """
    prefix_of: dict[str, tuple[AnyOperation, str]] = {}  # by case
    for operation, asked in _by_operation(run, cases, shown):
        questions = _questions(operation, asked, texts)
        found = prefixes_of(operation, questions, prefix_tokens, images)
        for case, prefix in zip(asked, found, strict=True):
            prefix_of[case.case_id] = operation, prefix.prefix_id
    groups: dict[tuple[str, str], tuple[AnyOperation, str, list[int]]] = {}
    for place, case in enumerate(cases):
        operation, prefix_id = prefix_of[case.case_id]
        of_prefix = groups.setdefault((operation.name, prefix_id), (operation, prefix_id, []))
        of_prefix[2].append(place)
    return list(groups.values())


def _by_operation(
    run: ResolvedRun, cases: Iterable[Case], shown: Shown
) -> list[tuple[AnyOperation, list[Case]]]:
    """Group cases by the operation that asks them, in order of first appearance."""
    asked: dict[str, tuple[AnyOperation, list[Case]]] = {}
    for case in cases:
        operation = run.operation_of(case, shown)
        asked.setdefault(operation.name, (operation, []))[1].append(case)
    return list(asked.values())


def _texts(lake: Lake, planned: Planned, cases: Sequence[Case]) -> dict[str, str]:
    wanted = {case.context_id for case in cases if case.context_id is not None}
    texts: dict[str, str] = {}
    for commit in planned.inputs:
        if commit.n_rows("contexts"):
            only = ("context_id", wanted)
            texts |= lake.columns(commit, "contexts", "context_id", "text", only=only)
    return texts


def _questions(
    operation: AnyOperation, cases: Sequence[Case], texts: Mapping[str, str]
) -> list[Question]:
    return [
        Question(
            subject_id=case.case_id,
            case_id=case.case_id,
            # without a context, the prompt keeps its structure
            inputs=operation.inputs.of(
                case, "" if case.context_id is None else texts[case.context_id]
            ),
        )
        for case in cases
    ]
