"""One replica: its slots, its calls in flight and its server's health."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from tasks.core.progress import tell
from tasks.core.rows import Response
from tasks.inference.engines.failures import REMEDY, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import most_tokens
from tasks.inference.operation import Call, Group
from tasks.models.catalogue import Model

if TYPE_CHECKING:
    from tasks.inference.engines.dispatch import Dispatch

_FAILING_S = 10.0  # when to report that every call fails
# The server is at fault if as many different calls fail in a row as it has slots, or this many.
_FEWEST_FAILED = 5

# Seconds for a token of an answer, ten times those of the slowest servers that people like.
_TOKEN_S = 0.1
_START_TOKENS = 1_000  # time to load a model or to wait in its queue, as tokens
_PROMPT_SHARE = 0.1  # of a token of an answer
_TOGETHER_S = 1.0  # calls sent within this time may be queued in any order
# Share of a server's cache for the prefixes of open groups; the rest is for suffixes and answers.
# Measured with a simulation of vLLM 0.32's scheduler on FailSafeQA's workload.
_OPEN_SHARE = 0.8


class Replica(Protocol):
    """One server of a model."""

    @property
    def name(self) -> str: ...

    async def send(self, call: Call, heard: Callable[[], None]) -> Response:
        """Send a call once, or raise a `Failure`; its class says what to do.

        `heard` is called whenever tokens of a streamed reply have come.
        """
        ...

    async def is_alive(self) -> bool:
        """Return whether the server answers at all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on sending calls to each replica."""

    in_flight: int = 64  # most calls at once
    attempts: int = 8  # before a call's failure becomes final
    # Longest silence of one attempt: without an answer, or a token of a streamed one. None: by
    # `timeout_s`.
    timeout_s: float | None = None
    longest_wait_s: float = 60.0  # between two attempts, unless the server asks for more
    hopeless_after: int = 20  # failed calls in a row that put the server at fault
    arrival_s: float = 5.0  # how long to wait for a server that no call has reached yet
    patience_s: float = 60.0  # how long a server may fail every call or be gone
    longest_asked_s: float = 300.0  # how long it may ask to wait, or limit every call
    grace_s: float = 10.0  # how long calls in flight may go on when the run gives up
    open_tokens: int | None = None  # most prefix tokens of groups begun at once; None: no limit

    @classmethod
    def of(cls, model: Model, room: int | None = None) -> Limits:
        """Return the limits that a model's row asks for.

        Args:
            room: tokens that the server's cache holds, if known. Without a limit of open groups,
                all prefixes would be warmed up first, each pushing an earlier one out.
        """
        limits = cls(
            in_flight=model.in_flight,
            timeout_s=model.timeout_s,
            open_tokens=int(room * _OPEN_SHARE / model.token_ratio) if room else None,
        )
        if (seconds := model.patience_s) is None:
            return limits
        return replace(
            limits,
            arrival_s=seconds,
            patience_s=seconds,
            longest_asked_s=seconds,
            longest_wait_s=min(limits.longest_wait_s, seconds),
        )


def timeout_s(call: Call, model: Model) -> float:
    """Return the default time-out of a call, by its tokens; any token of a stream restarts it.

    It is 152 s for 200 tokens of prompt and 500 of answer, 450 s for 25,000 and 1,000.
    """
    n_prompt = call.request.n_prompt_tokens * model.token_ratio
    return _TOKEN_S * (_START_TOKENS + most_tokens(call, model) + _PROMPT_SHARE * n_prompt)


class Slots:
    """The slots of one replica; lowest places are served first.

    `changed` is called whenever a slot may have become free.
    """

    def __init__(self, most: int, changed: Callable[[], None]) -> None:
        self.most = most
        self.taken = 0
        self._changed = changed
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()

    @property
    def has_room(self) -> bool:
        """Whether a slot is free and nobody waits for one."""
        return not self._waiting and self.taken < self.most

    def ask(self, place: int) -> asyncio.Future[None]:
        """Queue for a slot; await the result, and `give_back` afterwards."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (place, next(self._numbers), future))
        self._serve()
        return future

    def give_back(self) -> None:
        """Free a slot."""
        self.taken -= 1
        self._serve()

    def _serve(self) -> None:
        while self._waiting and self.taken < self.most:
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():  # the waiting task may have been cancelled
                self.taken += 1
                future.set_result(None)
        self._changed()


class Health:
    """The failures of a replica's calls since its last answer.

    If many different calls have failed, the server is at fault, not the calls.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.fewest = min(max(limits.in_flight, _FEWEST_FAILED), limits.hopeless_after)
        self.last_answer: float | None = None
        self.is_told = False  # that every call fails
        self._failing_since = 0.0
        self._asks_to_wait = False
        self._failed: set[str] = set()
        self._kinds: Counter[str] = Counter()

    @property
    def is_bad(self) -> bool:
        """Whether the server is at fault, not the calls."""
        return len(self._failed) >= self.fewest

    def recover(self) -> None:
        """Forget all failures: the server answers, though perhaps no call yet."""
        self._failed.clear()
        self._kinds.clear()
        self._asks_to_wait = self.is_told = False

    def count(self, request_id: str, failure: Passing, since: float) -> None:
        """Count the failure of a call that was sent, or last heard of, at this moment."""
        if not self._failed:
            self._failing_since = since
        self._failed.add(request_id)
        self._kinds[failure.error_type] += 1
        if failure.retry_after_s is not None:
            self._asks_to_wait = True

    @property
    def failing_s(self) -> float:
        """How long every call has failed, in seconds."""
        return monotonic() - self._failing_since if self._failed else 0.0

    @property
    def is_hopeless(self) -> bool:
        """Whether the server has been at fault for too long: longer if it asks to wait."""
        is_limited = self._asks_to_wait or set(self._kinds) == {"rate_limited"}
        patience_s = self.limits.longest_asked_s if is_limited else self.limits.patience_s
        return self.is_bad and self.failing_s > patience_s

    def outcome(self, last: Passing) -> str:
        """Say what failed since the last answer, and how."""
        kinds = ", ".join(f"{n:,} x {kind}" for kind, n in self._kinds.most_common())
        return (
            f"{self._kinds.total():,} attempts of {len(self._failed):,} calls failed in "
            f"{self.failing_s:.0f} s ({kinds}), the last with {last.detail!r}. {REMEDY}"
        )


@dataclass(eq=False, slots=True)
class _InFlight:
    """A call in flight, and the clock that ends it."""

    sent: float
    timeout_s: float
    clock: asyncio.Timeout
    last_sign: float  # when it was sent, or its last token came
    first_token: float | None = None  # when it came


class Lane:
    """One replica with its slots and the calls in flight to it.

    After a lost connection it checks whether the server is still there. If not, a call in flight
    may have killed it: `deaths` counts that for the whole run, and nothing is sent until the server
    is back. A server that does not come back in time, or that fails every call, is dead; other
    lanes take its groups.

    Tokens that arrive are life, however slow. A call that has none yet waits in the server's queue
    while those sent before it have some. A call that times out while a later one is heard of, or
    while giving up would spare no other, hangs by itself.
    """

    def __init__(self, number: int, replica: Replica, run: Dispatch) -> None:
        self.number = number
        self.replica = replica
        self.limits = run.limits
        self.n_open = 0  # groups begun and not finished
        self.open_tokens = 0  # of their prefixes
        self.n_paused = 0  # calls waiting for their next attempt
        self.is_dead = False
        self.slots = Slots(run.limits.in_flight, self.wake)
        self.health = Health(run.limits)
        self._run = run
        self._changed = asyncio.Event()
        self._suspects = asyncio.Lock()
        self._n_suspects = 0  # waiting or in flight
        self._in_flight: dict[str, _InFlight] = {}  # by request_id
        self._lost: set[str] = set()  # calls with a lost connection, not yet counted or cleared
        self._last_token = 0.0  # when a stream's last token came
        self._newest_heard = 0.0  # when the last sent of the calls with tokens or answers was sent
        self._gone: asyncio.Task[None] | None = None  # waits for a server that may be gone

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
        """Have tasks that wait in `change` look again."""
        self._changed.set()

    async def change(self) -> None:
        """Wait until something about the lane changes."""
        self._changed.clear()
        await self._changed.wait()

    @property
    def has_room(self) -> bool:
        """Whether a group may begin: a slot is free, and no older group waits for it."""
        return self.slots.has_room and self._gone is None and self.n_paused < self.limits.in_flight

    def fits(self, weight: int) -> bool:
        """Return whether the server's cache has room for this prefix."""
        most = self.limits.open_tokens
        return most is None or not self.open_tokens or self.open_tokens + weight <= most

    @asynccontextmanager
    async def turn(self, call: Call) -> AsyncIterator[bool]:
        """Wait for a call's turn; yield False if the lane is dead or the run ends.

        A call that was in flight when its server died is a suspect and sent alone: if the server
        dies again, this call is to blame.
        """
        await self._until(lambda: self._gone is None)
        n_deaths = self._run.deaths[call.key]
        if n_deaths > 1:
            raise Refused(
                "quarantined",
                "its server crashed twice while this call was in flight; only --retry-failed sends "
                "it again",
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
        return self.is_dead or self._run.why is not None

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not self._is_over and not is_so():
            await self.change()

    # --- one attempt

    async def send(self, call: Call, timeout_s: float) -> Response:
        """Send a call once, and learn from its outcome; `timeout_s` is its longest silence."""
        request_id, sent = call.request.request_id, monotonic()
        own_s = self.limits.timeout_s or timeout_s
        flight = _InFlight(sent, own_s, asyncio.timeout(None), last_sign=sent)
        self._in_flight[request_id] = flight
        try:
            async with flight.clock:
                response = await self.replica.send(call, lambda: self._take_token(flight))
        except TimeoutError:
            what = "no answer" if flight.first_token is None else "no token of a begun answer"
            late = Passing("timeout", f"{what} in {monotonic() - flight.last_sign:.0f} s")
            is_alone = self._newest_heard > flight.sent or not self._run.has_untried()
            if not is_alone:
                self._count_failure(call, late, flight)
            raise late from None
        except Passing as passing:
            self._count_failure(call, passing, flight)
            raise
        except Refused as refused:
            self._count_answer(flight)
            if refused.reply is not None:
                refused.reply = _timed(refused.reply, flight)
            raise
        finally:
            self._in_flight.pop(request_id, None)
            if self._n_suspects:
                self.wake()
        self._count_answer(flight)
        return _timed(response, flight)

    def end_late_calls(self) -> None:
        """Give up the calls that have been silent for too long."""
        now = monotonic()
        for flight in self._in_flight.values():
            is_queued = (
                flight.first_token is None and self._newest_heard <= flight.sent + _TOGETHER_S
            )
            sign = max(flight.last_sign, self._last_token) if is_queued else flight.last_sign
            if now - sign > flight.timeout_s and not flight.clock.expired():
                flight.clock.reschedule(asyncio.get_running_loop().time())

    def _take_token(self, flight: _InFlight) -> None:
        flight.last_sign = self._last_token = monotonic()
        flight.first_token = flight.first_token or flight.last_sign
        self._newest_heard = max(self._newest_heard, flight.sent)

    def _count_answer(self, flight: _InFlight) -> None:
        self._newest_heard = max(self._newest_heard, flight.sent)
        self.health.last_answer = monotonic()
        if self._gone is None:  # otherwise it may be the last answer of a dead server
            self._lost.clear()
        if self.health.is_told:
            tell(f"{self.replica.name} answers again")
        self.health.recover()

    def _count_failure(self, call: Call, failure: Passing, flight: _InFlight) -> None:
        health = self.health
        health.count(call.request.request_id, failure, since=flight.last_sign)
        if health.is_hopeless:
            outcome = health.outcome(failure)
            self._die(f"it answers no call: {outcome}. Then run the same command again")
        elif not health.is_told and self._gone is None and health.failing_s >= _FAILING_S:
            health.is_told = True
            tell(f"{self.replica.name} answers no call: {health.outcome(failure)}")
        if isinstance(failure, Lost):
            if failure.was_sent:
                self._lost.add(call.key)
            if self._gone is None and not self.is_dead:
                self._gone = self._run.looking.create_task(self._look_after(failure))

    # --- a server that is gone

    def look_no_more(self) -> None:
        """Stop waiting for the server: nothing more is sent."""
        if self._gone is not None:
            self._gone.cancel()

    async def _look_after(self, lost: Lost) -> None:
        """Check whether the server is there; if not, wait for it."""
        last_answer = self.health.last_answer
        if not await self.replica.is_alive() and self.health.last_answer == last_answer:
            await self._wait_for_return(lost)
        self._lost.clear()
        self._gone = None
        self.wake()

    async def _wait_for_return(self, lost: Lost) -> None:
        """Wait for the server to return; declare it dead if late."""
        was_there = self.health.last_answer is not None or self._lost
        patience_s = self.limits.patience_s if was_there else self.limits.arrival_s
        tell(
            f"{self.replica.name} does not answer ({lost.detail}). Waiting up to {patience_s:g} s "
            "for it"
        )
        until, is_back = monotonic() + patience_s, False
        while monotonic() < until and self._run.why is None and not is_back:
            await self._run.wait(min(1.0, patience_s / 20))
            is_back = await self.replica.is_alive()
        self._run.deaths.update(self._lost)
        if is_back:
            tell(f"{self.replica.name} answers again")
            self.health.recover()
            return
        remedy = "Start it" if was_there else "Start it or correct its address"
        self._die(
            f"the server has not answered for {patience_s:g} s ({lost.detail}). {remedy}, then "
            "run the same command again"
        )

    def _die(self, why: str) -> None:
        if not self.is_dead:
            self.is_dead = True
            self._run.bury(f"{self.replica.name}: {why}")
            self.wake()


def _timed(response: Response, flight: _InFlight) -> Response:
    """Return a response with what its call has taken so far."""
    first_s = None if flight.first_token is None else flight.first_token - flight.sent
    return replace(
        response,
        latency_ms=round(1000 * (monotonic() - flight.sent), 1),
        first_token_ms=None if first_s is None else round(1000 * first_s, 1),
    )
