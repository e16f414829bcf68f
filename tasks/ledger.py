"""The ledger: what makes a call durable and unique.

`Ledger` wraps an engine and is one itself, so parts that are given one get durability without
knowing it. When a group's turn comes it answers from the journal what was answered before, in
whatever run of whatever release on this lake; what is left it claims, warms up with a primer
and hands to the engine; each answer is in the journal before anyone counts it. `Recorded`
remembers the rows that a step writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tasks.journal import Journal
from tasks.operations import (
    FINAL_ERRORS,
    PRIME,
    Call,
    Engine,
    Group,
    Settle,
    grouped,
    primer,
    primer_id,
)
from tasks.progress import Tally
from tasks.schemas import Prefix, Request, Response
from tasks.stopping import sending

# How often a call that another process has claimed is looked for in the journal.
_LOOK_AGAIN_S = 0.5


class Ledger:
    """An engine whose answers are kept.

    Args:
        engine: what answers calls that the journal does not hold.
        journal: where answers are kept; None for rules, whose answers are made again.
        primes: whether a group of two or more calls is warmed up first.
        fresh_since: ignore answers from before this time (seconds since 1970); None takes any.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal | None = None,
        *,
        primes: bool = False,
        fresh_since: float | None = None,
    ) -> None:
        self.engine = engine
        self.journal = journal if engine.identity is not None else None
        self.primes = primes
        self.fresh_since = fresh_since

    @property
    def model(self) -> str:
        return self.engine.model

    @property
    def identity(self) -> str | None:
        return self.engine.identity

    async def answer(self, groups: Sequence[Group], settle: Settle) -> None:
        """Answer every call of every group once: from the journal where it holds the answer."""
        tallies = _tallies(groups, self)
        if self.journal is None:

            async def counted(call: Call, response: Response) -> None:
                await settle(call, response)
                tallies[call.request.operation].add(response)

            await self.engine.answer(groups, counted)
            return
        await _Trip(self, self.journal, settle, tallies).travel(groups)


class _Trip:
    """One `Ledger.answer`: what has been asked twice, and what other processes are asking."""

    def __init__(self, ledger: Ledger, journal: Journal, settle: Settle, tallies: dict[str, Tally]) -> None:
        self.ledger = ledger
        self.journal = journal
        self.hand_over = settle
        self.tallies = tallies
        self.asked: dict[str, list[Call]] = {}  # key -> calls that wait for the one that was sent
        self.elsewhere: dict[str, list[Call]] = {}  # key -> calls whose key another process has claimed

    async def travel(self, groups: Sequence[Group]) -> None:
        with sending():
            await self._travel(groups)

    async def _travel(self, groups: Sequence[Group]) -> None:
        try:
            await self.ledger.engine.answer([self._opening(group) for group in groups], self._settle)
            while self.elsewhere:
                waiting = [call for calls in self.elsewhere.values() for call in calls]
                self.elsewhere = {}
                remaining = await self._remaining(waiting)
                if remaining:
                    await self.ledger.engine.answer(grouped(remaining), self._settle)
                if self.elsewhere:
                    await asyncio.sleep(_LOOK_AGAIN_S)
        finally:
            self.journal.release(self.asked)

    def _opening(self, group: Group) -> Group:
        async def opened() -> list[Call]:
            calls = list(await group.open())
            remaining = await self._remaining(calls)
            if not self.ledger.primes or len(calls) < 2:
                return remaining
            warm = primer(calls, self.ledger.identity or "")
            if len(remaining) > 1:  # also where it was warm once: the server may have forgotten since
                return [warm, *remaining]
            kept = self.journal.find([warm.request.key or ""], self.ledger.fresh_since)
            for response in kept.values():
                await self._hand_over(warm, response, reused=True)
            return remaining

        return replace(group, open=opened)

    async def _remaining(self, calls: Sequence[Call]) -> list[Call]:
        """The calls that this process has to send; the others are settled, or will be."""
        wanted: dict[str, list[Call]] = {}
        for call in calls:
            assert call.request.key is not None  # an engine with an identity has keys
            wanted.setdefault(call.request.key, []).append(call)
        found = self.journal.find(list(wanted), self.ledger.fresh_since)
        for key, response in found.items():
            for call in wanted.pop(key):
                await self._hand_over(call, response, reused=True)
        for key in [key for key in wanted if key in self.asked]:  # another group sends the same prompt
            self.asked[key] += wanted.pop(key)
        ours = self.journal.claim(list(wanted))
        remaining = []
        for key, same in wanted.items():
            if key in ours:
                self.asked[key] = same[1:]
                remaining.append(same[0])
            else:
                self.elsewhere.setdefault(key, []).extend(same)
        # answered by another process between our look and our claim
        late = self.journal.find([call.request.key or "" for call in remaining], self.ledger.fresh_since)
        for key, response in late.items():
            call = next(call for call in remaining if call.request.key == key)
            remaining.remove(call)
            for waiting in (call, *self.asked.pop(key)):
                await self._hand_over(waiting, response, reused=True)
        self.journal.release(list(late))
        return remaining

    async def _settle(self, call: Call, response: Response) -> None:
        key = call.request.key
        assert key is not None
        if response.status != "error" or response.error_type in FINAL_ERRORS:
            await self.journal.add(key, response, replaces=self.ledger.fresh_since is not None)
        waiting = self.asked.pop(key, [])
        self.journal.release([key])
        await self._hand_over(call, response)
        for same in waiting:
            await self._hand_over(same, response, reused=True)

    async def _hand_over(self, call: Call, response: Response, *, reused: bool = False) -> None:
        if response.request_id != call.request.request_id:
            response = replace(response, request_id=call.request.request_id)
        await self.hand_over(call, response)
        tally = self.tallies.get(call.request.operation)
        if tally is not None:
            tally.add(response, reused=reused)
        elif not reused:  # a primer: its tokens belong to the operation that it serves
            next(iter(self.tallies.values())).add(response, counts=False)


def _tallies(groups: Sequence[Group], engine: Engine) -> dict[str, Tally]:
    totals: dict[str, int] = {}
    for group in groups:
        totals[group.operation] = totals.get(group.operation, 0) + group.n_calls
    return {
        operation: Tally(f"{operation} by {engine.model}", total, is_model=engine.identity is not None)
        for operation, total in totals.items()
    }


# --- what a step remembers -----------------------------------------------------------------


@dataclass
class OperationRecord:
    """All calls of one operation to one model."""

    prefixes: dict[str, Prefix] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    responses: dict[str, Response] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)  # request_id -> in which breath of the step

    def add(self, call: Call, response: Response, breath: int = 0) -> None:
        """Remember one call and its answer."""
        request_id = call.request.request_id
        self.prefixes.setdefault(call.prefix.prefix_id, call.prefix)
        self.requests[request_id] = call.request
        self.responses[request_id] = response
        self.asked[request_id] = breath

    def rows(self, shard: int = 0) -> Iterator[tuple[str, list[Prefix] | list[Request] | list[Response]]]:
        """(table, rows) for the three tables, in the order in which they were asked, as one shard of the step.

        Answers come in any order; rows do not.
        """
        ordered = sorted(
            self.requests.values(),
            key=lambda request: (self.asked[request.request_id], request.seq, request.request_id),
        )
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

        async def remembered(call: Call, response: Response) -> None:
            record = self.operations.setdefault(call.request.operation, OperationRecord())
            record.add(call, response, breath)
            await settle(call, response)

        def opening(group: Group) -> Group:
            async def opened() -> list[Call]:
                new = []
                for call in await group.open():
                    earlier = self._earlier(call)
                    if earlier is None:
                        new.append(call)
                    else:
                        await settle(call, earlier)
                return new

            return replace(group, open=opened)

        await self.engine.answer([opening(group) for group in groups], remembered)

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
