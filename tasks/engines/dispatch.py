"""Calls to replicas: slots, order, trying again, and knowing when to stop.

What every engine that reaches a server shares. An engine brings `Replica`s, which send one call once;
the rest is here. A call keeps its slot until its answer is kept (`settle` has returned), so what is in flight
is all that a crash can cost.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol

from tasks.engines.failures import Failure, Hopeless, Lost, Passing, Refused
from tasks.engines.order import Queues
from tasks.engines.slots import Slots
from tasks.errors import RunFailed
from tasks.models import Model, price_of
from tasks.operations import Call, Group, Settle
from tasks.schemas import Response
from tasks.spending import BudgetReached, purse
from tasks.stopping import Stopped, stop_requested

# Failures for which no provider charges: the call was not taken.
_UNPAID = frozenset({"rate_limited", "server_error", "connection"})

# Half the bound of the wait after the first failure; it doubles with each.
_FIRST_WAIT_S = 0.125

# How often what waits looks whether it should still wait.
_LOOK_S = 0.1


class Replica(Protocol):
    """One server of a model."""

    @property
    def name(self) -> str: ...

    async def send(self, call: Call) -> Response:
        """Send a call once.

        Raises:
            Failure: it was not answered; the type says what to do.
        """
        ...

    async def is_alive(self) -> bool:
        """Whether the server answers at all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How calls are sent to each replica.

    in_flight      most calls at once
    attempts       how often a call is tried before its failure is its answer
    timeout_s      after how long a call is given up
    longest_wait_s most seconds between two attempts, unless the server asks for more
    hopeless_after how many failures in a row, with no answer between them, end the run
    arrival_s      how long a server is waited for that has not answered yet
    patience_s     how long answers may stay away before failures end the run, and how long a server that
                   is gone is waited for
    no_progress_s  how long a replica may hold calls without answering one
    grace_s        how long calls in flight may still be answered when the run gives up
    open_tokens    most prefix tokens of the groups begun at once; None is no limit
    leads          whether a group's first call goes before its others where no primer does: caches of paid
                   providers hold what was answered before, and a primer would be paid for
    """

    in_flight: int = 64
    attempts: int = 8
    timeout_s: float = 600.0
    longest_wait_s: float = 60.0
    hopeless_after: int = 20
    arrival_s: float = 10.0
    patience_s: float = 60.0
    no_progress_s: float = 1_500.0
    grace_s: float = 10.0
    open_tokens: int | None = None
    leads: bool = False

    @classmethod
    def of(cls, model: Model, open_tokens: int | None = None, *, leads: bool = False) -> Limits:
        """The limits that a model's row asks for."""
        return cls(
            in_flight=model.in_flight,
            timeout_s=model.timeout_s,
            no_progress_s=2.5 * model.timeout_s,
            open_tokens=open_tokens,
            leads=leads,
        )


class GaveUp(RunFailed):
    """Calls cannot be answered any more; the message says what failed and what to do."""


async def dispatch(
    groups: Sequence[Group], replicas: Sequence[Replica], limits: Limits, settle: Settle, model: Model
) -> None:
    """Have every call of every group answered or failed, once, each group by one replica.

    A call that fails for good is settled with a response that says why.

    Raises:
        GaveUp: nothing can be answered any more.
        BudgetReached, Stopped: no more may be sent. What was in flight is settled before.
    """
    await _Dispatch(groups, replicas, limits, settle, model).run()


class _Ending(Exception):
    """The run is ending: whoever holds a call that was not sent lets go of it."""


class _ReplicaGone(Exception):
    """The call's replica has not come back: another takes it."""


@dataclass(eq=False, slots=True)
class _Lane:
    """One replica, and what is on its way to it."""

    number: int
    replica: Replica
    slots: Slots
    open_tokens: int = 0
    in_flight: dict[str, Call] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)  # calls that lost their connection since the last answer
    suspect: asyncio.Lock = field(default_factory=asyncio.Lock)
    gone: asyncio.Task[None] | None = None  # waits for a server that does not answer
    is_dead: bool = False  # it has not come back
    has_answered: bool = False
    last_answer: float = field(default_factory=monotonic)


class _Dispatch:
    def __init__(
        self,
        groups: Sequence[Group],
        replicas: Sequence[Replica],
        limits: Limits,
        settle: Settle,
        model: Model,
    ) -> None:
        self.queues = Queues(groups, len(replicas))
        self.lanes = [_Lane(number, each, Slots(limits.in_flight)) for number, each in enumerate(replicas)]
        self.limits = limits
        self.settle = settle
        self.model = model
        self.price = price_of(model)
        self.total = sum(group.n_calls for group in groups)
        self.settled = 0
        self.begun = 0
        self.deaths: dict[str, int] = {}  # request -> at how many deaths of its server it was in flight
        self.failures_in_a_row = 0
        self.last_success = monotonic()
        self.ending: RunFailed | None = None

    async def run(self) -> None:
        watching = asyncio.create_task(self._watch())
        feeding = asyncio.create_task(self._feed_all())
        try:
            while not feeding.done():
                await asyncio.wait([feeding], timeout=_LOOK_S)
                if isinstance(self.ending, GaveUp):  # what comes soon is kept, the rest not waited for
                    await asyncio.wait([feeding], timeout=self.limits.grace_s)
                    feeding.cancel()
                    await asyncio.wait([feeding])
            if not feeding.cancelled():
                feeding.result()
        except BaseExceptionGroup as group:
            raise _plain(group) from None
        finally:
            watching.cancel()
            feeding.cancel()
            for lane in self.lanes:
                if lane.gone is not None:
                    lane.gone.cancel()
        if self.ending is not None:
            kept = f"{self.settled:,} of {self.total:,} calls of this step are answered and kept"
            raise type(self.ending)(f"{self.ending}; {kept}")

    async def _feed_all(self) -> None:
        async with asyncio.TaskGroup() as lanes:
            for lane in self.lanes:
                lanes.create_task(self._feed(lane))

    # --- groups

    async def _feed(self, lane: _Lane) -> None:
        """Open the lane's groups one after the other, as slots become free."""
        async with asyncio.TaskGroup() as sending:
            while await self._has_room(lane):
                group = self.queues.next(lane.number)
                if group is None:
                    return
                await self._fits(lane, group)
                if self.ending is not None:
                    return
                self.begun += 1
                calls = await group.open()
                if calls:
                    lane.open_tokens += group.weight
                    place = (self.begun,)
                    first = lane.slots.ask(place)
                    sending.create_task(self._send_group(lane, group, calls, place, first))

    async def _has_room(self, lane: _Lane) -> bool:
        """Wait for a free slot that nobody of an older group waits for; False when the lane is to end."""
        while self.ending is None and not lane.is_dead:
            try:
                await asyncio.wait_for(lane.slots.room(), _LOOK_S)
            except TimeoutError:
                continue
            if lane.gone is None:
                return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def _fits(self, lane: _Lane, group: Group) -> None:
        """Wait until the groups begun leave room for this one in the server's cache."""
        most = self.limits.open_tokens
        while most is not None and lane.open_tokens and lane.open_tokens + group.weight > most:
            if self.ending is not None:
                return
            await asyncio.sleep(0.005)

    async def _send_group(
        self,
        lane: _Lane,
        group: Group,
        calls: Sequence[Call],
        place: tuple[int, ...],
        first: asyncio.Future[None],
    ) -> None:
        try:
            if len(calls) > 1 and (calls[0].is_primer or self.limits.leads):
                await self._send(lane, calls[0], place, first)
                calls = calls[1:]
                first = lane.slots.ask(place)
            async with asyncio.TaskGroup() as siblings:
                for number, call in enumerate(calls):
                    slot = first if number == 0 else lane.slots.ask(place)
                    siblings.create_task(self._send(lane, call, place, slot))
        finally:
            lane.open_tokens -= group.weight

    # --- one call

    async def _send(
        self, lane: _Lane, call: Call, place: tuple[int, ...], slot: asyncio.Future[None]
    ) -> None:
        """Answer one call, however many attempts it takes, and settle its answer or its failure."""
        attempts = 0
        was_empty = False
        failure: Passing | None = None
        while True:
            await slot
            try:
                await self._ready(lane, call)
                attempts += 1
                response = await self._attempt(lane, call)
                if response.text == "" and not was_empty:
                    was_empty = True
                    raise Passing("empty_answer", "the answer has no text")
                await self._keep(call, replace(response, attempts=attempts))
                return
            except _Ending:
                return
            except _ReplicaGone:
                failure = None
            except Refused as refused:
                await self._keep(call, self._failed(call, refused, attempts))
                return
            except Hopeless as hopeless:
                self._end(GaveUp(hopeless.detail))
                return
            except Passing as passing:
                if attempts >= self.limits.attempts:
                    await self._keep(call, self._failed(call, passing, attempts))
                    return
                self._give_up_in_time(passing)
                failure = passing
            finally:
                lane.slots.give_back()
            try:
                if failure is not None:
                    await self._pause(failure, attempts)
            except _Ending:
                return
            if lane.is_dead:
                alive = [other for other in self.lanes if not other.is_dead]
                if not alive:
                    return
                lane = min(alive, key=lambda other: (other.slots.taken, other.number))
            slot = lane.slots.ask(place)

    async def _ready(self, lane: _Lane, call: Call) -> None:
        """Return when the call may be sent.

        Raises:
            Refused: it never may.
            _Ending, _ReplicaGone: not here, not now.
        """
        self._check_window(call)
        if self.deaths.get(call.request.request_id, 0) > 1:
            raise Refused("quarantined", "it was in flight at two deaths of its server; it is not sent again")
        while lane.gone is not None:
            if self.ending is not None:
                raise _Ending
            await asyncio.wait([lane.gone], timeout=_LOOK_S)
        if lane.is_dead:
            raise _ReplicaGone
        if self.ending is not None or stop_requested():
            raise _Ending

    def _check_window(self, call: Call) -> None:
        """Refuse a prompt that is longer than the model's window: some servers would cut it silently."""
        request, window = call.request, self.model.window
        n_prompt = request.n_prompt_tokens * self.model.token_ratio
        if window is not None and n_prompt + request.sampling.max_tokens > window:
            raise Refused(
                "context_overflow",
                f"about {n_prompt:,.0f} tokens of prompt and {request.sampling.max_tokens:,} of answer do not fit the "
                f"window of {window:,}; it was not sent",
            )

    async def _attempt(self, lane: _Lane, call: Call) -> Response:
        """Send a call once, and learn from what becomes of it."""
        request_id = call.request.request_id
        if self.deaths.get(request_id):  # it may have killed the server: let it be alone if it does so again
            async with lane.suspect:
                return await self._sent(lane, call)
        return await self._sent(lane, call)

    async def _sent(self, lane: _Lane, call: Call) -> Response:
        reserved = await self._reserve(call)
        request_id = call.request.request_id
        if not lane.in_flight:
            lane.last_answer = monotonic()  # the watchdog's clock starts with the first call
        lane.in_flight[request_id] = call
        cost = 0.0
        started = monotonic()
        try:
            async with asyncio.timeout(self.limits.timeout_s):
                response = await lane.replica.send(call)
            cost = response.cost_usd or 0.0
        except TimeoutError:
            cost = reserved  # the server may have worked, and charge for it
            lane.slots.count(slowed=True)
            raise Passing("timeout", f"no answer in {self.limits.timeout_s:g} s") from None
        except Passing as passing:
            cost = 0.0 if passing.error_type in _UNPAID else reserved
            lane.slots.count(slowed=passing.slows)
            if isinstance(passing, Lost):
                lane.lost.add(request_id)
                if lane.gone is None:
                    lane.gone = asyncio.create_task(self._return_of(lane, passing))
            raise
        finally:
            del lane.in_flight[request_id]
            purse().pay(reserved, cost)
        lane.slots.count(slowed=False)
        lane.lost.clear()
        lane.has_answered = True
        lane.last_answer = self.last_success = monotonic()
        self.failures_in_a_row = 0
        return replace(response, latency_ms=round(1000 * (monotonic() - started), 1))

    async def _reserve(self, call: Call) -> float:
        """Set aside the most that the call can cost; where it is not there, wait for what is in flight.

        Raises:
            _Ending: the budget is reached.
        """
        if self.price is None:
            purse().reserve(0.0)
            return 0.0
        request = call.request
        n_prompt = math.ceil(request.n_prompt_tokens * self.model.token_ratio)
        worst = self.price.most(n_prompt, request.sampling.max_tokens)
        while not purse().has_room(worst) and purse().in_flight:
            if self.ending is not None:
                raise _Ending
            await asyncio.sleep(_LOOK_S)
        try:
            purse().reserve(worst)
        except BudgetReached as reached:
            self._end(reached)
            raise _Ending from reached
        return worst

    async def _keep(self, call: Call, response: Response) -> None:
        await self.settle(call, response)
        self.settled += not call.is_primer

    def _failed(self, call: Call, failure: Failure, attempts: int) -> Response:
        return Response(
            request_id=call.request.request_id,
            status="quarantined" if failure.error_type == "quarantined" else "error",
            text=None,
            finish_reason=None,
            n_prompt=None,
            n_cached=None,
            n_output=None,
            latency_ms=None,
            attempts=attempts,
            error_type=failure.error_type,
            error=failure.detail,
            engine=self.model.engine,
            engine_version="",
            cost_usd=None,
        )

    async def _pause(self, failure: Passing, attempts: int) -> None:
        """Wait before the next attempt: full jitter, or as long as the server asks.

        Raises:
            _Ending: the run ends meanwhile.
        """
        seconds = _jitter(self.limits.longest_wait_s, attempts)
        if failure.retry_after_s is not None:
            seconds = failure.retry_after_s + random.uniform(0.0, 0.1 * failure.retry_after_s)
        until = monotonic() + seconds
        while (left := until - monotonic()) > 0:
            if self.ending is not None or stop_requested():
                raise _Ending
            await asyncio.sleep(min(left, _LOOK_S))

    # --- when servers fail

    async def _return_of(self, lane: _Lane, lost: Lost) -> None:
        """After a lost connection: whether the server is still there; if it is not, wait for it.

        Whatever was in flight when it went may be what killed it.
        """
        if await lane.replica.is_alive():
            lane.gone = None
            return
        for request_id in {*lane.in_flight, *lane.lost}:
            self.deaths[request_id] = self.deaths.get(request_id, 0) + 1
        lane.lost.clear()
        since = monotonic()
        patience_s = self.limits.patience_s if lane.has_answered else self.limits.arrival_s
        while self.ending is None and monotonic() - since < patience_s:
            await asyncio.sleep(min(1.0, patience_s / 20))
            if await lane.replica.is_alive():
                lane.last_answer = self.last_success = monotonic()
                lane.gone = None
                return
        lane.is_dead = True
        lane.gone = None
        if all(other.is_dead for other in self.lanes):
            self._end(
                GaveUp(
                    f"{self.model.name}: the server at {lane.replica.name} has not answered for {patience_s:g} s ({lost.detail}); "
                    "start it, then run the same command again"
                )
            )

    def _give_up_in_time(self, failure: Passing) -> None:
        """End the run when nothing succeeds any more."""
        self.failures_in_a_row += 1
        now = monotonic()
        if failure.retry_after_s is not None:  # the server has said when it will answer
            self.last_success = max(self.last_success, now + failure.retry_after_s - self.limits.patience_s)
        silent = now - self.last_success
        if self.failures_in_a_row >= self.limits.hopeless_after and silent > self.limits.patience_s:
            self._end(
                GaveUp(
                    f"{self.model.name}: the last {self.failures_in_a_row} attempts failed and none was answered for {silent:.0f} s, "
                    f"the last with {failure.error_type} ({failure.detail}); run the same command again "
                    "when the server is well"
                )
            )

    async def _watch(self) -> None:
        """Heed a request to stop, and notice a replica that holds calls and answers none."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if stop_requested():
                self._end(Stopped("stopped; run the same command to go on"))
            for lane in self.lanes:
                silent = monotonic() - lane.last_answer
                if lane.in_flight and lane.gone is None and silent > self.limits.no_progress_s:
                    self._end(
                        GaveUp(
                            f"{self.model.name}: {lane.replica.name} holds {len(lane.in_flight)} calls and has answered none for "
                            f"{silent:.0f} s; it hangs: restart it, then run the same command again"
                        )
                    )

    def _end(self, why: RunFailed) -> None:
        if self.ending is None:
            self.ending = why


def _jitter(longest: float, attempts: int) -> float:
    """Seconds before the next attempt: uniform up to a bound that doubles with each (full jitter)."""
    return random.uniform(0.0, min(longest, _FIRST_WAIT_S * 2**attempts))


def _plain(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first exception of a group of groups."""
    first = group.exceptions[0]
    return _plain(first) if isinstance(first, BaseExceptionGroup) else first
