"""Send calls to replicas: slots, order, retries, and when to stop.

Every engine that reaches a server shares this code and brings `Replica`s, which send one call
once. A call keeps its slot until its answer is kept and read (`work.answered` has returned), so a
crash costs at most the calls in flight.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tasks.core.budget import BudgetReached
from tasks.core.cancellation import Stopped, stop_requested
from tasks.core.errors import RunFailed
from tasks.core.progress import tell
from tasks.core.rows import Response
from tasks.inference.engines.failures import Failure, GaveUp, Hopeless, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import check_window, failed, most_tokens, window_in
from tasks.inference.engines.replica import Lane, Limits, Replica, timeout_s
from tasks.inference.engines.scheduling import Queues
from tasks.inference.operation import Call, Group, Work
from tasks.lake.lease import LeaseLost
from tasks.models.catalogue import Model, price_of

__all__ = ["GaveUp", "Limits", "Replica", "dispatch"]

# Failures that no provider charges for: the call was not accepted.
_UNPAID = frozenset({"rate_limited", "server_error"})

# Bound of the wait after a first failure. It doubles with each failure, or quadruples if the
# server asks for fewer calls, since it limits calls or tokens per minute.
_FIRST_WAIT_S = 0.25
_LONG_ASKED_S = 30.0  # a server's wish to wait that is told
# How much of an attempt a failure uses up. A rate limit says little about the call.
_WEIGHT_OF_LIMITS = 0.25
_WEIGHT_OF_DEAR = 3.0  # it takes long or may cost money: three of eight attempts

# How long to hold back a call that the server rejects: it may turn out to reject every call.
_HOLD_S = 1.0

# How often to check for a stop request, late calls and the purse.
_LOOK_S = 0.1


async def dispatch(work: Work, replicas: Sequence[Replica], limits: Limits, model: Model) -> None:
    """Settle every call of every group once, each group on one replica.

    A call that fails for good gets a response that says why.

    Raises:
        GaveUp: no call can be answered any more.
        BudgetReached, Stopped: no more calls may be sent; those in flight were settled first.
    """
    await Dispatch(work, replicas, limits, model).run()


@dataclass(eq=False, slots=True)
class _Begun:
    """A group in progress; it changes lanes if its replica dies."""

    group: Group
    place: int  # older groups get slots first
    lane: Lane


@dataclass(eq=False, slots=True)
class _Effort:
    """The attempts at one call so far."""

    call: Call
    attempts: int = 0
    tries: float = 0.0  # weighted attempts that count against it
    cost_usd: float | None = None  # of failed attempts that were charged for, if known
    refused: Refused | None = None
    wait_s: float = 0.0  # before the next attempt


class Dispatch:
    """One run of calls; its lanes look here for what concerns all of them."""

    looking: asyncio.TaskGroup  # of tasks that wait for a server

    def __init__(
        self, work: Work, replicas: Sequence[Replica], limits: Limits, model: Model
    ) -> None:
        self.work = work
        self.queues = Queues(work.groups, len(replicas))
        self.limits = limits
        self.model = model
        self.price = price_of(model)
        self.n_begun = 0  # groups
        self.n_opened = 0  # calls, including primers
        self.n_tried = 0  # of these, sent at least once or settled
        self.n_answers = 0  # settled, without primers
        self.n_refused = 0  # calls that the server rejected since its last answer
        # by key: deaths of servers while the call was in flight
        self.deaths: Counter[str] = Counter()
        self.why: RunFailed | None = None  # no more calls are sent
        self._over = asyncio.Event()
        self.lanes = [Lane(number, replica, self) for number, replica in enumerate(replicas)]
        self.feeding: asyncio.Task[None] | None = None

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as running:
                watching = running.create_task(self._watch())
                self.feeding = running.create_task(self._feed_all())
                await asyncio.wait([self.feeding])
                watching.cancel()
        except BaseExceptionGroup as failed:
            error = _plain(failed)
            raise error from error.__cause__
        if (why := self.why) is not None:
            answers = f". Answers kept in this run: {self.n_answers:,}" if self.n_answers else ""
            raise type(why)(f"{why}{answers}")

    # --- groups

    async def _feed_all(self) -> None:
        async with asyncio.TaskGroup() as self.looking:
            async with asyncio.TaskGroup() as feeding:
                for lane in self.lanes:
                    feeding.create_task(self._feed(lane))
            for lane in self.lanes:
                lane.look_no_more()

    async def _feed(self, lane: Lane) -> None:
        """Open the lane's groups in order, as slots become free."""
        group: Group | None = None
        async with asyncio.TaskGroup() as sending:
            while not self._is_ending():
                if group is None and lane.has_room and not lane.is_dead:
                    group = self._next_group(lane)
                if group is None and self.queues.is_empty:
                    return
                # a dead lane's last group is opened too: its calls find another lane
                if group is None or not (
                    lane.is_dead or (lane.has_room and lane.fits(group.weight))
                ):
                    await lane.change()
                    continue
                calls = await self.work.open(group)
                if calls:
                    self.n_begun += 1
                    self.n_opened += len(calls)
                    lane.begin(group)
                    begun = _Begun(group, self.n_begun, lane)
                    first = lane.slots.ask(begun.place)
                    sending.create_task(self._send_group(begun, calls, first))
                group = None
                await asyncio.sleep(0)  # let its calls ask for slots, and arrived answers be read

    def _next_group(self, lane: Lane) -> Group | None:
        """Return the lane's next group: its own first, then others'."""
        group = self.queues.next(lane.number, lane.n_open)
        if self.queues.is_empty:
            for other_lane in self.lanes:  # the others may stop waiting for one
                other_lane.wake()
        return group

    async def _send_group(
        self, begun: _Begun, calls: Sequence[Call], first: asyncio.Future[None]
    ) -> None:
        try:
            lane, slot = begun.lane, first
            if calls[0].is_primer and len(calls) > 1:
                await self._answer(begun, calls[0], lane, slot)
                calls = calls[1:]
                lane = begun.lane
                slot = lane.slots.ask(begun.place)
            async with asyncio.TaskGroup() as siblings:
                for call in calls[1:]:
                    siblings.create_task(
                        self._answer(begun, call, lane, lane.slots.ask(begun.place))
                    )
                await self._answer(begun, calls[0], lane, slot)
        finally:
            begun.lane.end(begun.group)

    def _lane_of(self, begun: _Begun) -> Lane:
        """Return the group's lane; if dead, move it to the emptiest."""
        alive = [lane for lane in self.lanes if not lane.is_dead]
        if begun.lane.is_dead and alive:
            taker = min(alive, key=lambda lane: (lane.open_tokens, lane.slots.taken, lane.number))
            begun.lane.end(begun.group)
            taker.begin(begun.group)
            begun.lane = taker
        return begun.lane

    # --- one call

    async def _answer(
        self, begun: _Begun, call: Call, lane: Lane, queued: asyncio.Future[None] | None
    ) -> None:
        """Settle one call, then its follow-ups, in the same slot; `queued` is its place in line."""
        efforts = deque([_Effort(call)])
        while True:
            await (queued or lane.slots.ask(begun.place))
            try:
                while efforts:
                    effort = efforts[0]
                    response = await self._try(lane, effort)
                    if response is None:
                        break
                    efforts.popleft()
                    more = await self.work.answered(effort.call, response)
                    efforts += map(_Effort, more)
                    self.deaths.pop(effort.call.key, None)
                    self.n_tried += not effort.attempts
                    self.n_answers += not effort.call.is_primer
                    self.n_opened += len(more)
            finally:
                lane.slots.give_back()
            if not efforts:
                return
            queued = None
            if not self._is_ending() and effort.wait_s:
                lane.n_paused += 1
                await self.wait(effort.wait_s)
                lane.n_paused -= 1
                lane.wake()
            if self._is_ending():
                # for the accounts; the next run asks it again
                if effort.cost_usd is not None:
                    unanswered = Passing("unanswered", "the run ended before another attempt")
                    failure = effort.refused or unanswered
                    await self.work.answered(effort.call, self._failed(effort, failure))
                return
            lane = self._lane_of(begun)

    async def _try(self, lane: Lane, effort: _Effort) -> Response | None:
        """Send a call once; return its response, or None so far."""
        effort.wait_s = 0.0
        if effort.refused is not None:
            return self._failed(effort, effort.refused)
        try:
            check_window(effort.call, self.model)
            return await self._attempt(lane, effort)
        except Refused as refused:
            if not effort.attempts or refused.error_type in ("content_filter", "quarantined"):
                return self._failed(effort, refused)  # the fault is this call's
            self._count_refusal(refused)
            effort.refused, effort.wait_s = refused, _HOLD_S
            return None
        except Hopeless as hopeless:
            self.end(GaveUp(hopeless.detail))
            return None
        except Passing as passing:
            if self._is_last(lane, effort, passing) and not self._is_ending():
                return self._failed(effort, passing)
            effort.wait_s = self._wait_s(effort, passing)
            return None

    async def _attempt(self, lane: Lane, effort: _Effort) -> Response | None:
        """Reserve, send and pay; return None if the budget, the lane or the run has ended."""
        reserved = await self._reserve(effort.call)
        if reserved is None:
            return None
        cost = 0.0
        try:
            async with lane.turn(effort.call) as may_go:
                if not may_go or not await self._holds_lease():
                    return None
                effort.attempts += 1
                self.n_tried += effort.attempts == 1
                response = await lane.send(effort.call, timeout_s(effort.call, self.model))
            # if the server does not report usage, charge the most that it can be
            cost = reserved if response.cost_usd is None else response.cost_usd
        except Failure as failure:
            if failure.cost_usd is not None:
                cost = failure.cost_usd
                effort.cost_usd = (effort.cost_usd or 0.0) + cost
            elif _may_be_charged(failure):
                cost = reserved
            raise
        finally:
            self.work.purse.pay(reserved, cost)
        self.n_refused = 0
        if effort.cost_usd is not None:
            response = replace(response, cost_usd=effort.cost_usd + (response.cost_usd or 0.0))
        return replace(response, attempts=effort.attempts)

    async def _reserve(self, call: Call) -> float | None:
        """Reserve the most that the call can cost, or wait; return None if the run ends."""
        worst, purse = 0.0, self.work.purse
        if self.price is not None:
            n_prompt = math.ceil(call.request.n_prompt_tokens * self.model.token_ratio)
            worst = self.price.most(n_prompt, most_tokens(call, self.model))
            while not purse.has_room(worst) and purse.in_flight:
                await self.wait(_LOOK_S)
                if self._is_ending():
                    return None
        try:
            purse.reserve(worst)
        except BudgetReached as reached:
            self.end(reached)
            return None
        return worst

    async def _holds_lease(self) -> bool:
        """Wait for the model's lease; return False if the run ends."""
        try:
            while not self._is_ending() and not self.work.may_send():
                await self.wait(_LOOK_S)
        except LeaseLost as lost:
            self.end(lost)
        return not self._is_ending()

    def _failed(self, effort: _Effort, failure: Failure) -> Response:
        request_id, engine = effort.call.request.request_id, self.model.engine
        return failed(
            request_id, failure, engine=engine, attempts=effort.attempts, cost_usd=effort.cost_usd
        )

    # --- whether and when to try again

    def _is_last(self, lane: Lane, effort: _Effort, failure: Passing) -> bool:
        """Count a failed attempt; return whether it was the call's last."""
        if not lane.health.is_bad:
            is_charged = _may_be_charged(failure) and self.price is not None
            is_dear = is_charged or failure.error_type == "timeout"
            weight = _WEIGHT_OF_DEAR if is_dear else 1.0
            effort.tries += _WEIGHT_OF_LIMITS if failure.error_type == "rate_limited" else weight
        return effort.tries >= self.limits.attempts

    def _wait_s(self, effort: _Effort, failure: Passing) -> float:
        """Return seconds to wait: full jitter, or what the server asks."""
        asked_s = failure.retry_after_s
        if asked_s is None:
            growth = 4.0 if failure.error_type == "rate_limited" else 2.0
            bound = _FIRST_WAIT_S * growth ** min(effort.attempts - 1, 16)
            return random.uniform(0.0, min(self.limits.longest_wait_s, bound))
        if asked_s > self.limits.longest_asked_s:
            until = datetime.now() + timedelta(seconds=asked_s)
            self.end(
                GaveUp(
                    f"{self.model.name}: the server asks us to wait until "
                    f"{until:%Y-%m-%d %H:%M:%S}, for {asked_s:,.0f} s ({failure.detail}), and we "
                    f"wait at most {self.limits.longest_asked_s:g} s. Run the same command again "
                    f"then, or now with --patience {math.ceil(asked_s)}"
                )
            )
        if asked_s >= _LONG_ASKED_S:
            tell(f"{self.model.name}: the server asks us to wait {asked_s:,.0f} s")
        return asked_s + random.uniform(0.0, 0.1 * asked_s)

    # --- the end

    def end(self, why: RunFailed) -> None:
        """Send no more calls, for the first reason; when giving up, cut off after `grace_s`."""
        if self.why is not None:
            return
        self.why = why
        self._over.set()
        for lane in self.lanes:
            lane.wake()
        if isinstance(why, GaveUp) and self.feeding is not None:
            asyncio.get_running_loop().call_later(self.limits.grace_s, self.feeding.cancel)

    async def wait(self, seconds: float) -> None:
        """Wait this long, or until the run starts to end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)

    def _is_ending(self) -> bool:
        if self.why is None and stop_requested():
            self.end(Stopped("stopped; run the same command to go on"))
        return self.why is not None

    def bury(self, why: str) -> None:
        """End the run if the last lane is dead."""
        if all(lane.is_dead for lane in self.lanes):
            self.end(GaveUp(f"{self.model.name}: {why}"))

    def has_untried(self) -> bool:
        """Whether some calls were never sent: to give up would spare them."""
        return not self.queues.is_empty or self.n_tried < self.n_opened

    def _count_refusal(self, refused: Refused) -> None:
        """End a run whose every call is refused, before all are kept as failures: a wrong row."""
        self.n_refused += 1
        if self.n_refused >= self.limits.hopeless_after:
            self.end(
                GaveUp(
                    f"{self.model.name}: none of the last {self.n_refused} calls gave an answer "
                    f"that we accept. The last one: {refused.detail}. "
                    f"{_remedy(self.model, refused)}"
                )
            )

    async def _watch(self) -> None:
        """Watch for a stop request and for late calls."""
        while True:
            await asyncio.sleep(_LOOK_S)
            self._is_ending()
            for lane in self.lanes:
                lane.end_late_calls()


ROOM_TO_THINK = 16_000  # tokens, for a model whose thoughts reach the limit; `thinking_tokens`


def _remedy(model: Model, refused: Refused) -> str:
    """Say what helps if every call is refused for this reason."""
    line = {
        "context_overflow": f"window = {window_in(refused.detail) or 'TOKENS'}",
        "cut_before_answer": f"thinking_tokens = {ROOM_TO_THINK}",
        "prompt_truncated": "counts_tokens = false",
    }.get(refused.error_type)
    return model.remedy("what it asks for") if line is None else model.remedy(line, line)


def _may_be_charged(failure: Failure) -> bool:
    """Return whether the server may have worked before it failed."""
    if isinstance(failure, Lost) and not failure.was_sent:
        return False
    return isinstance(failure, Passing) and failure.error_type not in _UNPAID


def _plain(error: BaseException) -> BaseException:
    """Return an error, or the first of an exception group."""
    return _plain(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
