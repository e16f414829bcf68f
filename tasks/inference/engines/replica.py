"""One replica as the dispatcher sees it: what is on its way to it, and whether it is well."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Protocol

from tasks.core.progress import tell
from tasks.core.rows import Response
from tasks.inference.engines.circuit_breaker import Breaker, Ending
from tasks.inference.engines.concurrency import Slots
from tasks.inference.engines.failures import Lost, Passing, Refused
from tasks.inference.operation import Call, Group
from tasks.models.catalogue import Model

# How often a dead server is asked whether it is back, while others do its work.
_ASK_DEAD_S = 15.0


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
    hopeless_after how many calls must have failed, with no answer between them, for the server to be what fails
    arrival_s      how long a server is waited for that no call has reached yet
    patience_s     how long a server may fail whoever asks, and how long one that is gone is waited for
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
            patience_s=model.patience_s,
            no_progress_s=2.5 * model.timeout_s,
            open_tokens=open_tokens,
            leads=leads,
        )


class Lane:
    """One replica, its slots, and what is in flight to it.

    A lost connection makes it ask whether the server is still there. If it is not, what was in flight may be what
    killed it: that is counted in `deaths`, for as long as the run lasts, and nothing is sent until the server is back. One that does not come
    back in time is dead, and its groups are for the others, until it does come back. One that fails whoever asks is
    dead for good.

    Args:
        deaths: at how many deaths of its server each call was in flight; shared by all lanes.
        died: called with a sentence when the lane is dead.
    """

    looking: asyncio.TaskGroup  # of the dispatcher: what waits for a server runs there

    def __init__(
        self,
        number: int,
        replica: Replica,
        limits: Limits,
        ending: Ending,
        deaths: Counter[str],
        died: Callable[[str], None],
    ) -> None:
        self.number = number
        self.replica = replica
        self.limits = limits
        self.n_open = 0  # groups begun and not finished, and the tokens of their prefixes
        self.open_tokens = 0
        self.is_dead = False
        self.slots = Slots(limits.in_flight, self.wake)
        self.breaker = Breaker(limits.hopeless_after, limits.patience_s)
        self._ending = ending
        self._deaths = deaths
        self._died = died
        self._changed = asyncio.Event()
        self.n_paused = 0  # calls that wait for their next attempt
        self._suspects = asyncio.Lock()
        self._n_suspects = 0  # that wait for their turn or are in flight
        self._in_flight: set[str] = set()
        self._lost: set[str] = (
            set()
        )  # keys of calls that lost their connection and are not counted or cleared yet
        self._has_answered = False
        self._last_sign = (
            monotonic()
        )  # when the server last said anything, or was first asked since
        self._is_late = False  # what it was asked since has timed out
        self._gone: asyncio.Task[None] | None = None  # asks and waits for a server that may be gone

    # --- turns

    def begin(self, group: Group) -> None:
        """Count a group as open."""
        self.n_open += 1
        self.open_tokens += group.weight

    def end(self, group: Group) -> None:
        """Count a group as finished, or as taken over by another lane."""
        self.n_open -= 1
        self.open_tokens -= group.weight
        self.wake()

    def wake(self) -> None:
        """Have whoever waits for a change look again."""
        self._changed.set()

    async def change(self) -> None:
        """Wait until something about the lane has changed."""
        self._changed.clear()
        await self._changed.wait()

    @property
    def has_room(self) -> bool:
        """Whether a group may be begun: a slot is free that no older group waits for, and the server is there.

        Calls that wait for their next attempt hold no slot; when they are as many as slots, no more are begun.
        """
        return self.slots.has_room and self._gone is None and self.n_paused < self.limits.in_flight

    def fits(self, weight: int) -> bool:
        """Whether the groups begun leave room in the server's cache for a prefix of so many tokens."""
        most = self.limits.open_tokens
        return most is None or not self.open_tokens or self.open_tokens + weight <= most

    @asynccontextmanager
    async def slot(self, place: int, asked: asyncio.Future[None] | None) -> AsyncIterator[None]:
        """A slot for the block."""
        await self.slots.granted(asked or self.slots.ask(place))
        try:
            yield
        finally:
            self.slots.give_back()

    @asynccontextmanager
    async def turn(self, call: Call) -> AsyncIterator[bool]:
        """Wait until a call may be sent; False when it may not, because the lane is dead or the run ends.

        A call that was in flight when its server died is a suspect, and sent alone: if the server dies again, it was
        this call.

        Raises:
            Refused: the call was in flight at two deaths.
        """
        await self._until(lambda: self._gone is None)
        n_deaths = self._deaths[call.key]
        if n_deaths > 1:
            raise Refused(
                "quarantined",
                "in flight at two deaths of its server; it is not sent again, unless with --retry-failed",
            )
        if not n_deaths:
            await self._until(lambda: self._gone is None and not self._n_suspects)
            yield not self._is_over
            return
        self._n_suspects += 1
        try:
            async with self._suspects:
                await self._until(lambda: self._gone is None and not self._in_flight)
                yield not self._is_over
        finally:
            self._n_suspects -= 1
            self.wake()

    @property
    def _is_over(self) -> bool:
        return self.is_dead or self._ending.why is not None

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not self._is_over and not is_so():
            await self.change()

    # --- one attempt

    async def send(self, call: Call) -> Response:
        """Send a call once, and learn from what becomes of it.

        Raises:
            Failure: it was not answered.
        """
        request_id = call.request.request_id
        if not self._in_flight and not self._is_late:
            self._last_sign = monotonic()
        self._in_flight.add(request_id)
        started = monotonic()
        try:
            async with asyncio.timeout(self.limits.timeout_s):
                response = await self.replica.send(call)
        except TimeoutError:
            late = Passing("timeout", f"no answer in {self.limits.timeout_s:g} s", slows=True)
            self._failed(call, late)
            raise late from None
        except Passing as passing:
            self._failed(call, passing)
            raise
        except Refused:
            self._answered()
            raise
        finally:
            self._in_flight.discard(request_id)
            if self._n_suspects:
                self.wake()
        self._answered()
        return replace(response, latency_ms=round(1000 * (monotonic() - started), 1))

    def _answered(self) -> None:
        self._has_answered = True
        self._heard()
        if self._gone is None:  # else it may be the last word of a server that is gone
            self._lost.clear()
        self.breaker.answered()
        self.slots.count(slowed=False)

    def _heard(self) -> None:
        self._last_sign = monotonic()
        self._is_late = False

    def _failed(self, call: Call, failure: Passing) -> None:
        if failure.error_type == "timeout":
            self._is_late = True
        elif not isinstance(
            failure, Lost
        ):  # that is no sign of life: a death is told by each call that was in flight
            self._heard()
        self.breaker.failed(call.request.request_id, failure)
        self.slots.count(slowed=failure.slows or self.breaker.is_open)
        if isinstance(failure, Lost):
            if failure.was_sent:
                self._lost.add(call.key)
            if self._gone is None and not self.is_dead:
                self._gone = self.looking.create_task(self._look_after(failure))
        verdict = self.breaker.verdict()
        if verdict is not None:
            self._die(f"{verdict}; run the same command again when the server is well")

    # --- a server that is gone

    def look_no_more(self) -> None:
        """Nothing is sent any more: whether the server returns does not matter."""
        if self._gone is not None:
            self._gone.cancel()

    async def _look_after(self, lost: Lost) -> None:
        """Ask whether the server is there; if it is not, wait for it."""
        last_sign = self._last_sign
        if not await self.replica.is_alive() and self._last_sign == last_sign:
            await self._wait_for_return(lost)
        self._lost.clear()
        self._heard()
        self._gone = None
        self.wake()

    async def _wait_for_return(self, lost: Lost) -> None:
        """Ask until it is back, or the run ends; it is dead while it takes longer than it may."""
        was_there = self._has_answered or self._lost
        patience_s = self.limits.patience_s if was_there else self.limits.arrival_s
        tell(
            f"{self.replica.name} does not answer ({lost.detail}); waiting up to {patience_s:g} s for it to come back"
        )
        is_back = await self._returns(min(1.0, patience_s / 20), patience_s)
        if not is_back:
            remedy = "start it" if was_there else "start it, or mend its address"
            self._die(
                f"the server has not answered for {patience_s:g} s ({lost.detail}); {remedy}, then run the same command "
                "again"
            )
            is_back = await self._returns(_ASK_DEAD_S)
        if is_back:
            tell(f"{self.replica.name} answers again")
            self.is_dead = False
            self.breaker.answered()

    async def _returns(self, every_s: float, within_s: float = inf) -> bool:
        """Ask every so often whether it is back; False when it is not within that time, or the run ends.

        What was in flight is counted at once, and what joins it later before this ends.
        """
        since = monotonic()
        try:
            while monotonic() - since < within_s and self._ending.why is None:
                self._count_lost()
                await self._ending.within(every_s)
                if await self.replica.is_alive():
                    return True
            return False
        finally:
            self._count_lost()

    def _count_lost(self) -> None:
        """Count the death for the calls that were in flight, for each once."""
        lost, self._lost = self._lost, set()
        self._deaths.update(lost)

    def _die(self, why: str) -> None:
        if not self.is_dead:
            self.is_dead = True
            self._died(f"{self.replica.name}: {why}")
            self.wake()

    def held_up(self) -> str | None:
        """What to say of a server that holds calls and has said nothing for too long."""
        silent_s = monotonic() - self._last_sign
        if not self._in_flight or self._gone is not None or silent_s <= self.limits.no_progress_s:
            return None
        return (
            f"{self.replica.name} holds {len(self._in_flight):,} calls and has answered none for {silent_s:.0f} s; "
            "it hangs: restart it, then run the same command again"
        )
