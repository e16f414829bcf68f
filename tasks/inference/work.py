"""The work of one stream: calls to send and unread answers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic, time
from typing import TYPE_CHECKING

from tasks.core.progress import Tally, announce
from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache, is_kept
from tasks.inference.cache.tables import Answer
from tasks.inference.cutting import limit_answer
from tasks.inference.operation import Call, Group, primer
from tasks.lake.lease import Lease

if TYPE_CHECKING:
    from tasks.inference.client import Client


@dataclass(eq=False, slots=True)
class Unread:
    """A call with its answer, which the reader has not finished reading."""

    call: Call
    response: Response
    read: asyncio.Future[None]
    submitted: list[Call] = field(default_factory=list)  # follow-ups by the reader


class CachedWork:
    """The calls of one stream between cache, engine and reader.

    An engine passes each answer to `answered` while the call still holds its slot. Answers to calls
    that the client has asked before are repeated.
    """

    def __init__(self, client: Client, groups: Sequence[Group]) -> None:
        self.groups = groups
        self.purse = client.purse
        self.shared_prefixes: set[str] = set()  # prefix_id of groups with several calls to send
        self.unread: asyncio.Queue[Unread | None] = asyncio.Queue()  # None: the end
        self._client = client
        self._cache = client.cache
        self._tallies = None if client.part is None else Tallies(client, groups)
        self._opened: dict[int, Sequence[Call]] = {}  # by `has_calls`, by id() of the group
        self._asked: dict[str, list[Call]] = {}  # key being asked -> other calls with that key
        self._lease: Lease | None = None
        if client.cache is not None:
            self._lease = client.cache.lease(client.model, client.identity or "")
        self._leasing = asyncio.Lock()
        self._has_lease = False  # and has read what earlier runs have kept

    # --- for the engine

    def may_send(self) -> bool:
        """Return whether we surely hold the model's lease right now."""
        return self._lease is None or self._lease.may_send()

    async def has_calls(self) -> bool:
        """Return whether an engine is needed; settle groups that need none."""
        for place, group in enumerate(self.groups):
            if calls := await self.open(group):
                self.groups = self.groups[place:]
                self._opened[id(group)] = calls
                return True
        self.groups = []
        return False

    async def open(self, group: Group) -> Sequence[Call]:
        """Render a group; return the calls to send, perhaps a primer first."""
        if id(group) in self._opened:
            return self._opened.pop(id(group))
        calls = await self._not_asked_before(self._limited(await group.open()))
        if self._tallies is not None:
            self._tallies.opened(group, len(calls))
        if self._cache is not None:
            is_primed = self._client.primes and len(calls) > 1
            warm = primer(calls, self._client.identity or "") if is_primed else None
            calls = await self._not_kept(calls, warm)
        if len(calls) > 1:
            self.shared_prefixes.add(calls[0].prefix.prefix_id)
        return calls

    async def answered(self, call: Call, response: Response) -> Sequence[Call]:
        """Keep an answer and have it read; return the reader's follow-ups."""
        same: list[Call] = []
        if self._cache is not None:
            response = await self._keep(self._cache, call, response)
            same = self._asked.pop(call.key, [])
        submitted = await self._read(call, response)
        for other in same:
            submitted += await self._read(other, response, is_reused=True)
        return await self._to_send(submitted)

    # --- for the client

    def close(self) -> None:
        """Report the end of each piece of work, and release the lease."""
        try:
            if self._tallies is not None:
                self._tallies.close()
        finally:
            if self._lease is not None:
                self._lease.release()

    # --- calls that need not be sent

    async def _to_send(self, calls: Sequence[Call]) -> list[Call]:
        """Return the calls to send; read those that are answered already."""
        new = await self._not_asked_before(self._limited(calls))
        return await self._not_kept(new) if new and self._cache is not None else new

    def _limited(self, calls: Sequence[Call]) -> Sequence[Call]:
        row = self._client.row
        return calls if row is None else [limit_answer(call, row) for call in calls]

    async def _not_asked_before(self, calls: Sequence[Call]) -> list[Call]:
        """Return the calls that this step has not asked yet."""
        new: list[Call] = []
        waiting = deque(calls)
        while waiting:
            call = waiting.popleft()
            record = self._client.records.get(call.request.operation)
            response = None if record is None else record.responses.get(call.request.request_id)
            if response is None:
                new.append(call)
            else:
                waiting += await self._read(call, response, counts=False)
        return new

    async def _not_kept(self, calls: Sequence[Call], warm: Call | None = None) -> list[Call]:
        """Return the calls that the cache cannot answer, perhaps a primer first."""
        wanted: dict[str, list[Call]] = {}
        for call in calls:
            wanted.setdefault(call.key, []).append(call)
        looked_for = [*wanted] if warm is None else [*wanted, warm.key]
        cached = self._kept(looked_for)
        if not self._has_lease and any(key not in cached for key in wanted):
            await self._take_lease()
            cached = self._kept(looked_for)
        # No await until the keys are registered, so no other group of this stream interferes.
        remaining: list[Call] = []
        for key, same in wanted.items():
            if key in cached:
                continue
            if key in self._asked:  # another group sends the same prompt
                self._asked[key] += same
            else:
                self._asked[key] = same[1:]
                remaining.append(same[0])
        # primed even if it was warm once: the server may have forgotten the prefix
        primed = [warm] if warm is not None and len(remaining) > 1 else []
        if warm is not None and warm.key in cached and not primed:
            await self._read(warm, cached[warm.key], counts=False)
        submitted: list[Call] = []
        for key, same in wanted.items():
            if key in cached:
                for call in same:
                    submitted += await self._read(call, cached[key], is_reused=True)
        return [*primed, *remaining, *await self._to_send(submitted)]

    def _kept(self, keys: Sequence[str]) -> dict[str, Response]:
        assert self._cache is not None
        return self._cache.find(keys, self._client.fresh_after, self._client.failures_after)

    async def _take_lease(self) -> None:
        """Take the model's lease, and read what earlier runs have kept."""
        assert self._cache is not None
        assert self._lease is not None
        async with self._leasing:
            if not self._has_lease:
                await asyncio.to_thread(self._cache.prepare)
                await self._lease.take()
                await asyncio.to_thread(self._cache.catch_up)
                self._has_lease = True

    # --- answers

    async def _keep(self, cache: ResponseCache, call: Call, response: Response) -> Response:
        """Write an answer, or a charged failure, to the cache; return its key's current answer."""
        answer = Answer(
            key=call.key,
            model=call.request.model,
            operation=call.request.operation,
            response=response,
            at=time(),
            after=self._client.fresh_after or self._client.failures_after,
            is_kept=is_kept(response),
        )
        if answer.is_kept or response.cost_usd is not None:
            (response,) = await asyncio.wrap_future(cache.store(answer))
        return response

    async def _read(
        self, call: Call, response: Response, *, is_reused: bool = False, counts: bool = True
    ) -> list[Call]:
        """Wait until an answer is read; return the reader's follow-ups."""
        request_id = call.request.request_id
        if response.request_id != request_id:
            response = replace(response, request_id=request_id)
        unread = Unread(call, response, asyncio.get_running_loop().create_future())
        self.unread.put_nowait(unread)
        await unread.read
        if counts and self._tallies is not None:
            self._tallies.count(call, response, reused=is_reused)
        return unread.submitted


class Tallies:
    """Counts of one stream's calls, by piece of work, for progress; rules ask no model."""

    def __init__(self, client: Client, groups: Sequence[Group]) -> None:
        self.client = client
        self.by_work: dict[str, Tally] = {}
        self.started = monotonic()
        for group in groups:
            self._of(group.work).add_to_total(group.n_calls)
        for tally in self.by_work.values():  # the first answer may take minutes
            announce(tally.now)

    def opened(self, group: Group, n_calls: int) -> None:
        """Subtract the calls of a group that this step has asked before."""
        self._of(group.work).add_to_total(n_calls - group.n_calls)

    def count(self, call: Call, response: Response, *, reused: bool) -> None:
        """Count a call, or what a primer has cost."""
        tally = self._of(call.work)
        if call.request.repairs is not None:
            tally.add_to_total(1)
        tally.add(response, reused=reused, counts=not call.is_primer)

    def close(self) -> None:
        """Report the end of each piece, failed or not, repairs first."""
        for tally in reversed(self.by_work.values()):
            tally.close()

    def _of(self, work: str) -> Tally:
        if work not in self.by_work:
            client = self.client
            what = f"{work} by {client.model}" + (f" ({client.part})" if client.part else "")
            model = None if client.identity is None else client.model
            self.by_work[work] = Tally(what, model, self.started)
        return self.by_work[work]
