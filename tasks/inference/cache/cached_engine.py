"""An engine with a response cache: what makes a call durable and unique.

`CachedEngine` wraps an engine and is one itself. When it opens a group it answers from the cache what any run on
this lake has asked before; the rest it warms up and hands to the engine, while it holds the lease on the model; each
answer is in the cache before anyone counts it. `Recorded` remembers the rows that a step writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from time import monotonic

from tasks.core.cancellation import sending
from tasks.core.progress import Tally
from tasks.core.rows import Prefix, Request, Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.operation import (
    FINAL_ERRORS,
    PRIME,
    Call,
    Engine,
    Group,
    Reopened,
    Settle,
    primer,
    primer_id,
)
from tasks.lake.lease import Lease

_lease: ContextVar[Lease | None] = ContextVar("lease", default=None)


def lease() -> Lease | None:
    """The lease under which calls are sent."""
    return _lease.get()


class CachedEngine:
    """An engine whose answers are kept.

    Args:
        engine: what answers calls that the cache does not hold.
        cache: where answers are kept; None for rules, whose answers are made again.
        primes: whether a group of two or more calls is warmed up first.
        fresh_since: ignore answers from before this time (seconds since 1970); None takes any.
        failures_since: ignore kept failures from before this time, and let answers take their place.
        part: which part of a step's calls it is asked, for progress.
    """

    def __init__(
        self,
        engine: Engine,
        cache: ResponseCache | None = None,
        *,
        primes: bool = False,
        fresh_since: float | None = None,
        failures_since: float | None = None,
        part: str = "",
    ) -> None:
        self.engine = engine
        self.cache = cache if engine.identity is not None else None
        self.primes = primes
        self.fresh_since = fresh_since
        self.failures_since = failures_since
        self.part = part

    @property
    def model(self) -> str:
        return self.engine.model

    @property
    def identity(self) -> str | None:
        return self.engine.identity

    async def answer(self, groups: Sequence[Group], settle: Settle) -> None:
        """Answer every call of every group once: from the cache where it holds the answer."""
        tallies = _Tallies(self, groups)

        async def counted(call: Call, response: Response) -> Sequence[Call] | None:
            more = await settle(call, response)
            tallies.count(call, response)
            return more

        try:
            if self.cache is None:
                await self.engine.answer(Reopened(groups, tallies.opening), counted)
            else:
                await _Trip(self, self.cache, settle, tallies).travel(groups)
        finally:
            tallies.close()


def is_kept(response: Response) -> bool:
    """Whether the cache keeps an answer: it is one, or a failure that would come again.

    A call that was refused here, before anything was sent, is judged anew each time: it costs
    nothing, and the model's window may be another then.
    """
    return response.status != "error" or (response.error_type in FINAL_ERRORS and response.attempts > 0)


class _Trip:
    """One `CachedEngine.answer`: what is being asked, and who else waits for that."""

    def __init__(self, owner: CachedEngine, cache: ResponseCache, settle: Settle, tallies: _Tallies) -> None:
        self.owner = owner
        self.cache = cache
        self.hand_over = settle
        self.tallies = tallies
        self.asked: dict[str, list[Call]] = {}  # key that is being asked -> other calls that have it
        self.served: dict[str, str] = {}  # primer that is not settled -> the work that it serves
        self.lease = cache.lease(owner.model, owner.identity or "")
        self.taking = asyncio.Lock()
        self.has_lease = False  # and has read what runs before this one have kept

    async def travel(self, groups: Sequence[Group]) -> None:
        token = _lease.set(self.lease)
        try:
            with sending():
                opened = Reopened(Reopened(groups, self.tallies.opening), self._opening)
                await self.owner.engine.answer(opened, self._settle)
        finally:
            _lease.reset(token)
            self.lease.release()

    async def _opening(self, group: Group) -> list[Call]:
        """The calls of a group that this run has to send."""
        calls = await group.open()
        warm = None
        if self.owner.primes and len(calls) > 1:
            warm = primer(calls, self.owner.identity or "")
        return await self._take(calls, warm)

    async def _take(self, calls: Sequence[Call], warm: Call | None) -> list[Call]:
        """The calls that this run has to send, after a primer where they are two or more.

        The others are settled, or will be: the primer of calls that were sent before them, because
        whoever counts the calls takes the last one for the end.
        """
        wanted: dict[str, list[Call]] = {}
        for call in calls:
            wanted.setdefault(call.key, []).append(call)
        warm_key = None if warm is None else warm.key
        looked_for = [*wanted] if warm_key is None else [*wanted, warm_key]
        kept = self._kept(looked_for)
        if not self.has_lease and any(key not in kept for key in wanted):
            await self._take_lease()
            kept = self._kept(looked_for)
        # From here on nothing is awaited: no other group of this trip comes in between.
        remaining: list[Call] = []
        for key, same in wanted.items():
            if key in kept:
                continue
            if key in self.asked:  # another group sends the same prompt
                self.asked[key] += same
            else:
                self.asked[key] = same[1:]
                remaining.append(same[0])
        # primed also where it was warm once: the server may have forgotten since
        primed = [warm] if warm is not None and len(remaining) > 1 else []
        self.served |= {each.request.request_id: calls[0].work for each in primed}
        if warm is not None and warm_key in kept and not primed:
            await self._settle_again(warm, kept[warm_key])
        more: list[Call] = []
        for key, same in wanted.items():
            if key in kept:
                for call in same:
                    more += await self._settle_again(call, kept[key])
        return [*primed, *remaining, *(await self._take(more, None) if more else ())]

    async def _take_lease(self) -> None:
        """Wait until no other run asks the model, and read what those before have kept."""
        async with self.taking:
            if not self.has_lease:
                await asyncio.to_thread(self.cache.prepare)
                await self.lease.take()
                await asyncio.to_thread(self.cache.catch_up)
                self.has_lease = True

    def _kept(self, keys: Sequence[str]) -> dict[str, Response]:
        """What the cache holds, and this run takes."""
        return self.cache.find(keys, self.owner.fresh_since, self.owner.failures_since)

    async def _settle(self, call: Call, response: Response) -> list[Call]:
        """Keep an answer and hand it over; returns what it gives rise to, as far as this run has to send that."""
        key = call.key
        counts = response
        if is_kept(response):
            counts = await self.cache.add(
                key,
                response,
                model=call.request.model,
                operation=call.request.operation,
                since=self.owner.fresh_since or self.owner.failures_since,
            )
        elif response.cost_usd is not None:
            await self.cache.add_charge(
                key, response, model=call.request.model, operation=call.request.operation
            )
        waiting = self.asked.pop(key, [])
        more = [*(await self.hand_over(call, _answering(call, counts)) or ())]
        if call.is_primer:
            self.tallies.count_primer(self.served.pop(call.request.request_id), response)
        else:
            self.tallies.count(call, response)
        for same in waiting:
            more += await self._settle_again(same, counts)
        return await self._take(more, None) if more else []

    async def _settle_again(self, call: Call, response: Response) -> Sequence[Call]:
        """Settle a call with an answer that was bought before; returns the calls that it gives rise to."""
        more = await self.hand_over(call, _answering(call, response))
        if not call.is_primer:
            self.tallies.count(call, response, reused=True)
        return more or ()


def _answering(call: Call, response: Response) -> Response:
    request_id = call.request.request_id
    return response if response.request_id == request_id else replace(response, request_id=request_id)


class _Tallies:
    """Counts the calls of one trip, by piece of work."""

    def __init__(self, owner: CachedEngine, groups: Sequence[Group]) -> None:
        self.owner = owner
        self.by_work: dict[str, Tally] = {}
        self.started = monotonic()
        for group in groups:
            self._of(group.work).total += group.n_calls
        for tally in self.by_work.values():  # the first answer may take minutes
            tally.announce()

    async def opening(self, group: Group) -> Sequence[Call]:
        """A group's calls, counted now that they are known: some may have been answered without being asked."""
        calls = await group.open()
        self._of(group.work).total += len(calls) - group.n_calls
        return calls

    def count(self, call: Call, response: Response, *, reused: bool = False) -> None:
        """Count a call; those that answers give rise to are not known before, so each adds to the total."""
        tally = self._of(call.work)
        if call.request.repairs is not None:
            tally.total += 1
        tally.add(response, reused=reused)

    def count_primer(self, work: str, response: Response) -> None:
        """Count what a primer took for the piece of work that it served."""
        self._of(work).add(response, counts=False)

    def close(self) -> None:
        """Tell the end of each piece, also where it failed; repairs, which came last, first."""
        for tally in reversed(self.by_work.values()):
            tally.close()

    def _of(self, work: str) -> Tally:
        if work not in self.by_work:
            of_part = f" ({self.owner.part})" if self.owner.part else ""
            what = f"{work} by {self.owner.model}{of_part}"
            model = self.owner.model if self.owner.identity else None
            self.by_work[work] = Tally(what, 0, model, started=self.started)
        return self.by_work[work]


# --- what a step remembers -----------------------------------------------------------------


@dataclass
class OperationRecord:
    """All calls of one operation to one model.

    keeps_prefixes  whether their prompts' heads are rows of this step, or another's
    """

    keeps_prefixes: bool = True
    prefixes: dict[str, Prefix] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    responses: dict[str, Response] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)  # request_id -> in which breath of the step

    def add(self, call: Call, response: Response, breath: int = 0) -> None:
        """Remember one call and its answer."""
        request_id = call.request.request_id
        if self.keeps_prefixes:
            self.prefixes.setdefault(call.prefix.prefix_id, call.prefix)
        self.requests[request_id] = call.request
        self.responses[request_id] = response
        self.asked[request_id] = breath

    def rows(self, shard: int = 0) -> Iterator[tuple[str, list[Prefix] | list[Request] | list[Response]]]:
        """(table, rows) for each table, in the order in which they were asked, as one shard of the step.

        Answers come in any order; rows do not.
        """
        ordered = sorted(
            self.requests.values(),
            key=lambda request: (self.asked[request.request_id], request.seq, request.request_id),
        )
        if self.keeps_prefixes:
            prefix_ids = dict.fromkeys(request.prefix_id for request in ordered)
            yield "prefixes", [self.prefixes[prefix_id] for prefix_id in prefix_ids]
        yield "requests", [replace(request, shard=shard, seq=seq) for seq, request in enumerate(ordered)]
        yield "responses", [self.responses[request.request_id] for request in ordered]


class Recorded:
    """An engine that remembers its calls, by operation, and repeats what it was asked before."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.operations: dict[str, OperationRecord] = {}
        self.breaths = 0

    @property
    def model(self) -> str:
        return self.engine.model

    @property
    def identity(self) -> str | None:
        return self.engine.identity

    async def answer(self, groups: Sequence[Group], settle: Settle) -> None:
        """Answer what was not asked before in this step; repeat what was."""
        self.breaths += 1
        breath = self.breaths

        async def unheard(calls: Sequence[Call]) -> list[Call]:
            """The calls that were not asked before; the others, and what they give rise to, are settled."""
            new, waiting = [], deque(calls)
            while waiting:
                call = waiting.popleft()
                earlier = self._earlier(call)
                if earlier is None:
                    new.append(call)
                else:
                    waiting += await settle(call, earlier) or ()
            return new

        async def remembered(call: Call, response: Response) -> list[Call]:
            record = self.operations.setdefault(call.request.operation, OperationRecord())
            record.add(call, response, breath)
            return await unheard(await settle(call, response) or ())

        async def opening(group: Group) -> list[Call]:
            return await unheard(await group.open())

        await self.engine.answer(Reopened(groups, opening), remembered)

    def divided(self, key_of: Callable[[Request], str]) -> dict[str, dict[str, OperationRecord]]:
        """What was asked, divided by a key of its requests; a primer goes with the first call that it served."""
        served = {
            primer_id(request_id): request
            for operation, record in self.operations.items()
            if operation != PRIME
            for request_id, request in record.requests.items()
        }
        divided: dict[str, dict[str, OperationRecord]] = {}
        for operation, record in self.operations.items():
            for request_id, request in record.requests.items():
                records = divided.setdefault(key_of(served.get(request_id, request)), {})
                records.setdefault(operation, OperationRecord()).add(
                    Call(request, record.prefixes[request.prefix_id]),
                    record.responses[request_id],
                    record.asked[request_id],
                )
        return divided

    def _earlier(self, call: Call) -> Response | None:
        record = self.operations.get(call.request.operation)
        return None if record is None else record.responses.get(call.request.request_id)
