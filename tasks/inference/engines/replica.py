"""One replica: its calls in flight and its server's health."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
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
from tasks.inference.engines.failures import Hopeless, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import most_tokens
from tasks.inference.operation import Call, Group
from tasks.models.catalogue import Model

# How often to check whether a dead server is back, while others do its work.
_ASK_DEAD_S = 15.0
# When to report a call in flight: after this time, and after so many times the slowest tenth.
_LATE_S, _LATE_FACTOR = 60.0, 3.0
_TOGETHER_S = 1.0  # calls sent within this time may be queued in any order
_LATELY = 1_000  # answers of which the slowest tenth is taken
_FEW = 50  # how many more answers come before it is taken again

_FAILING_S = 10.0  # when to report that every call fails

# Seconds for a token of an answer, ten times those of the slowest servers that people like.
_TOKEN_S = 0.1
_START_TOKENS = 1_000  # time to load a model or to wait in its queue, as tokens
_PROMPT_SHARE = 0.1  # of a token of an answer
# How many time-outs a replica may hold calls without answering one.
_NO_PROGRESS = 2.5


class Replica(Protocol):
    """One server of a model."""

    @property
    def name(self) -> str: ...

    async def send(self, call: Call, heard: Callable[[], None]) -> Response:
        """Send a call once, or raise a `Failure`; its class says what to do.

        Args:
            heard: called whenever tokens of a streamed reply have come.
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
    # `timeout_s`, and never less than three times the slowest tenth of the answers so far, or of
    # their first tokens.
    timeout_s: float | None = None
    longest_wait_s: float = 60.0  # between two attempts, unless the server asks for more
    hopeless_after: int = 20  # failed calls in a row that put the server at fault
    arrival_s: float = 5.0  # how long to wait for a server that no call has reached yet
    patience_s: float = 60.0  # how long a server may fail every call or be gone
    longest_asked_s: float = 300.0  # how long it may ask to wait, or limit every call
    # how long a replica may hold calls without answering one or sending a token; None: two and a
    # half time-outs
    no_progress_s: float | None = None
    grace_s: float = 10.0  # how long calls in flight may go on when the run gives up
    open_tokens: int | None = None  # most prefix tokens of groups begun at once; None: no limit
    # Whether a group's first call goes ahead if there is no primer: caches of paid providers hold
    # answered prompts, and a primer would cost money.
    leads: bool = False

    @classmethod
    def of(cls, model: Model, *, open_tokens: int | None = None, leads: bool = False) -> Limits:
        """Return the limits that a model's row asks for."""
        limits = cls(
            in_flight=model.in_flight,
            timeout_s=model.timeout_s,
            open_tokens=open_tokens,
            leads=leads,
        )
        if model.patience_s is None:
            return limits
        return replace(
            limits,
            arrival_s=min(limits.arrival_s, model.patience_s),
            patience_s=model.patience_s,
            longest_asked_s=model.patience_s,
        )


def timeout_s(call: Call, model: Model) -> float:
    """Return the default time-out of a call, by its tokens; any token of a stream restarts it.

    It is 0.1 s x (1,000 + tokens of the longest answer + a tenth of the prompt's tokens): 152 s for
    200 tokens of prompt and 500 of answer, 450 s for 25,000 and 1,000.
    """
    n_prompt = call.request.n_prompt_tokens * model.token_ratio
    return _TOKEN_S * (_START_TOKENS + most_tokens(call, model) + _PROMPT_SHARE * n_prompt)


@dataclass(eq=False, slots=True)
class _InFlight:
    """A call in flight, and the clock that ends it."""

    sent: float
    timeout_s: float
    clock: asyncio.Timeout
    first_token: float | None = None  # when it came
    last_sign: float = 0.0  # when it was sent, or its last token came

    def wait_from(self, sign: float) -> None:
        """Have the clock count from this moment."""
        self.last_sign = sign
        if not self.clock.expired():
            until_s = sign + self.timeout_s - monotonic()
            self.clock.reschedule(asyncio.get_running_loop().time() + until_s)


class Lane:
    """One replica with its slots and the calls in flight to it.

    After a lost connection it checks whether the server is still there. If not, a call in flight
    may have killed it: `deaths` counts that for the whole run, and nothing is sent until the server
    is back. A server that does not come back in time is dead, and other lanes take its groups until
    it does. A server that fails every call is dead for good. `died` is called with the reason.

    Tokens that arrive are life, however slow. A call that has none yet waits in the server's queue
    while those sent before it have some.

    Calls may hang by themselves. One that times out while a later one is heard of says nothing of
    the server; `fewest_held` returns how many different others say that it hangs.
    """

    looking: asyncio.TaskGroup  # the dispatcher's: tasks that wait for a server run there

    def __init__(
        self,
        number: int,
        replica: Replica,
        limits: Limits,
        ending: Ending,
        deaths: Counter[str],
        died: Callable[[str], None],
        fewest_held: Callable[[], float],
    ) -> None:
        self.number = number
        self.replica = replica
        self.limits = limits
        self.n_open = 0  # groups begun and not finished
        self.open_tokens = 0  # of their prefixes
        self.is_dead = False
        self.slots = Slots(limits.in_flight, self.wake)
        self.breaker = Breaker(limits.hopeless_after, limits.patience_s, limits.longest_asked_s)
        self._ending = ending
        self._deaths = deaths
        self._died = died
        self._fewest_held = fewest_held
        self._changed = asyncio.Event()
        self.n_paused = 0  # calls waiting for their next attempt
        self._suspects = asyncio.Lock()
        self._n_suspects = 0  # waiting or in flight
        self._in_flight: dict[str, _InFlight] = {}  # by request_id
        self._took_s: deque[float] = deque(maxlen=_LATELY)  # of the answers
        self._n_took = 0
        self._slow_s = 0.0  # the fastest of the slowest tenth of these
        self._has_told_late = False
        self._lost: set[str] = set()  # calls with a lost connection, not yet counted or cleared
        self.has_answered = False
        self._last_sign = monotonic()  # last sign of life, or first call sent since
        self._last_token = 0.0  # when a stream's last token came
        self._late: set[str] = set()  # request_ids of calls that have timed out since then
        self._hanging: set[str] = set()  # and of those that hang by themselves
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
        """Whether a group may begin: a slot is free, and no older group waits for it.

        Calls between attempts hold no slot; if there are as many of them as slots, none begins.
        """
        return self.slots.has_room and self._gone is None and self.n_paused < self.limits.in_flight

    def fits(self, weight: int) -> bool:
        """Return whether the server's cache has room for this prefix."""
        most = self.limits.open_tokens
        return most is None or not self.open_tokens or self.open_tokens + weight <= most

    @asynccontextmanager
    async def slot(self, place: int, asked: asyncio.Future[None] | None) -> AsyncIterator[None]:
        """Hold a slot for the block."""
        await self.slots.granted(asked or self.slots.ask(place))
        try:
            yield
        finally:
            self.slots.give_back()

    @asynccontextmanager
    async def turn(self, call: Call) -> AsyncIterator[bool]:
        """Wait for a call's turn; yield False if the lane is dead or the run ends.

        A call that was in flight when its server died is a suspect and sent alone: if the server
        dies again, this call is to blame.
        """
        await self._until(lambda: self._gone is None)
        n_deaths = self._deaths[call.key]
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
        return self.is_dead or self._ending.why is not None

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not self._is_over and not is_so():
            await self.change()

    # --- one attempt

    async def send(self, call: Call, timeout_s: float) -> Response:
        """Send a call once, and learn from its outcome.

        Args:
            timeout_s: when to give it up, unless the limits say so or answers take longer.
        """
        request_id = call.request.request_id
        if not self._in_flight and not self._late:
            self._last_sign = monotonic()
        own_s = self.limits.timeout_s or max(timeout_s, _LATE_FACTOR * self._slow_s)
        clock = asyncio.timeout(own_s)
        sent = monotonic()
        flight = self._in_flight[request_id] = _InFlight(sent, own_s, clock, last_sign=sent)
        try:
            async with clock:
                response = await self.replica.send(call, lambda: self._token_of(flight))
        except TimeoutError:
            what = "no answer" if flight.first_token is None else "no token of a begun answer"
            late = Passing("timeout", f"{what} in {flight.timeout_s:g} s", slows=True)
            self._failed(call, late, flight)
            raise late from None
        except Passing as passing:
            if passing.at_first is not None and not self.has_answered:
                raise Hopeless(passing.at_first) from passing
            self._failed(call, passing, flight)
            raise
        except Refused as refused:
            self._answered(flight)
            if refused.reply is not None:
                refused.reply = _timed(refused.reply, flight)
            raise
        finally:
            self._in_flight.pop(request_id, None)
            if self._n_suspects:
                self.wake()
        self._answered(flight)
        self._took((flight.first_token or monotonic()) - flight.sent)
        return _timed(response, flight)

    def _token_of(self, flight: _InFlight) -> None:
        now = self._last_token = monotonic()
        flight.first_token = flight.first_token or now
        flight.wait_from(now)
        self._newest_heard = max(self._newest_heard, flight.sent)
        self._heard()
        self.breaker.heard()

    def _answered(self, flight: _InFlight) -> None:
        self.has_answered = True
        self._newest_heard = max(self._newest_heard, flight.sent)
        self._heard()
        if self.breaker.has_told:
            tell(f"{self.replica.name} answers again")
        if self._gone is None:  # otherwise it may be the last answer of a dead server
            self._lost.clear()
        self.breaker.answered()
        self.slots.count(slowed=False)

    def _heard(self) -> None:
        self._last_sign = monotonic()
        self._late.clear()

    def _failed(self, call: Call, failure: Passing, flight: _InFlight) -> None:
        request_id = call.request.request_id
        if failure.error_type == "timeout":
            if self._newest_heard > flight.sent or self._fewest_held() == inf:
                self._hanging.add(request_id)
            if request_id in self._hanging:
                return
            self._late.add(request_id)
        elif not isinstance(failure, Lost):  # a lost connection is no sign of life
            self._heard()
        self.breaker.failed(request_id, failure)
        self.slots.count(slowed=failure.slows or self.breaker.is_open)
        verdict = self.breaker.verdict()
        if verdict is None:
            self._tell_failing(failure.remedy)
        if isinstance(failure, Lost):
            if failure.was_sent:
                self._lost.add(call.key)
            if self._gone is None and not self.is_dead:
                self._gone = self.looking.create_task(self._look_after(failure))
        if verdict is not None:
            self._die(f"{verdict}. {failure.remedy}. Then run the same command again")

    def _tell_failing(self, remedy: str) -> None:
        """Report once that every call fails, unless the server is gone, which is told."""
        if self.breaker.has_told or self._gone or self.breaker.failing_s < _FAILING_S:
            return
        self.breaker.has_told = True
        left_s = self.breaker.left_s
        until = (
            f"Each call is sent up to {self.limits.attempts} times"
            if left_s == inf
            else f"Waiting up to {left_s:.0f} s for an answer"
        )
        tell(f"{self.replica.name} fails every call: {self.breaker.outcome}. {until}. {remedy}")

    # --- a server that is gone

    def look_no_more(self) -> None:
        """Stop waiting for the server: nothing more is sent."""
        if self._gone is not None:
            self._gone.cancel()

    async def _look_after(self, lost: Lost) -> None:
        """Check whether the server is there; if not, wait for it."""
        last_sign = self._last_sign
        if not await self.replica.is_alive() and self._last_sign == last_sign:
            await self._wait_for_return(lost)
        self._lost.clear()
        self._heard()
        self._gone = None
        self.wake()

    async def _wait_for_return(self, lost: Lost) -> None:
        """Wait for the server to return; declare it dead if late."""
        was_there = self.has_answered or self._lost
        patience_s = self.limits.patience_s if was_there else self.limits.arrival_s
        tell(
            f"{self.replica.name} does not answer ({lost.detail}). Waiting up to {patience_s:g} s "
            "for it to come back"
        )
        is_back = await self._returns(min(1.0, patience_s / 20), patience_s)
        if not is_back:
            remedy = "Start it" if was_there else "Start it or correct its address"
            self._die(
                f"the server has not answered for {patience_s:g} s ({lost.detail}). {remedy}, then "
                "run the same command again"
            )
            is_back = await self._returns(_ASK_DEAD_S)
        if is_back:
            tell(f"{self.replica.name} answers again")
            self.is_dead = False
            self.breaker.returned()

    async def _returns(self, every_s: float, within_s: float = inf) -> bool:
        """Poll the server; return False on time-out or if the run ends.

        Count calls in flight at once, and those that join them later at the end.
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
        """Count the death once for each call that was in flight."""
        lost, self._lost = self._lost, set()
        self._deaths.update(lost)

    def _die(self, why: str) -> None:
        if not self.is_dead:
            self.is_dead = True
            self._died(f"{self.replica.name}: {why}")
            self.wake()

    def _took(self, seconds: float) -> None:
        """Note what an answer took; now and then, what the fastest of the slowest tenth did."""
        self._took_s.append(seconds)
        self._n_took += 1
        if self._n_took <= _FEW or self._n_took % _FEW == 0:
            self._slow_s = sorted(self._took_s)[-1 - len(self._took_s) // 10]

    def look_after_late_calls(self) -> None:
        """Give calls more time if answers take long or they queue; report late ones.

        They are reported again after none was late.
        """
        now = monotonic()
        old = [each for each in self._in_flight.values() if now - each.last_sign > _LATE_S]
        if not old:
            self._has_told_late = False
            return
        late_s = max(_LATE_S, _LATE_FACTOR * self._slow_s)
        if self.limits.timeout_s is None:
            for each in old:
                self._give_time(each, late_s)
        late = [each for each in old if now - each.last_sign > late_s]
        if late and not self._has_told_late:
            first = min(late, key=lambda each: each.last_sign)
            tell(
                f"{self.replica.name} has not answered {len(late):,} of {len(self._in_flight):,} "
                f"calls for {now - first.last_sign:.0f} s. The first is given up after "
                f"{first.timeout_s:.0f} s and sent again"
            )
        self._has_told_late = bool(late)

    def _give_time(self, flight: _InFlight, late_s: float) -> None:
        is_queued = self._last_token > flight.last_sign and (
            flight.first_token is None and self._newest_heard <= flight.sent + _TOGETHER_S
        )
        if is_queued or flight.timeout_s < late_s:
            flight.timeout_s = max(flight.timeout_s, late_s)
            flight.wait_from(self._last_token if is_queued else flight.last_sign)

    def held_up(self) -> str | None:
        """Return a sentence if the server holds calls and hangs."""
        silent_s = monotonic() - self._last_sign
        if not self._in_flight or self._gone is not None:
            return None
        held = (self._in_flight.keys() | self._late) - self._hanging
        if len(held) < self._fewest_held():
            return None
        longest_s = max(each.timeout_s for each in self._in_flight.values())
        if silent_s <= (self.limits.no_progress_s or _NO_PROGRESS * longest_s):
            return None
        return (
            f"{self.replica.name} holds {len(self._in_flight):,} calls and has answered none for "
            f"{silent_s:.0f} s. It hangs: restart it, then run the same command again"
        )


def _timed(response: Response, flight: _InFlight) -> Response:
    """Return a response with what its call has taken so far."""
    first_s = None if flight.first_token is None else flight.first_token - flight.sent
    return replace(
        response,
        latency_ms=round(1000 * (monotonic() - flight.sent), 1),
        first_token_ms=None if first_s is None else round(1000 * first_s, 1),
    )
