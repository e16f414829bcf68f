"""Calls to replicas: slots, order, trying again, and knowing when to stop.

What every engine that reaches a server shares. An engine brings `Replica`s, which send one call once;
the rest is here. A call keeps its slot until its answer is kept and read (`work.answered` has returned), so what is in flight
is all that a crash can cost.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from tasks.core.budget import BudgetReached
from tasks.core.cancellation import Stopped, stop_requested
from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.engines.circuit_breaker import Ending, GaveUp
from tasks.inference.engines.failures import Failure, Hopeless, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import check_window, failed, most_tokens
from tasks.inference.engines.replica import Lane, Limits, Replica
from tasks.inference.engines.scheduling import Queues
from tasks.inference.operation import Call, Group, Work
from tasks.lake.lease import LeaseLost
from tasks.models.catalogue import Model, price_of

__all__ = ["GaveUp", "Limits", "Replica", "dispatch"]

# Failures for which no provider charges: the call was not taken.
_UNPAID = frozenset({"rate_limited", "server_error"})

# The bound of the wait after a first failure; it doubles with each, and grows fourfold where the server asks for
# less: what it limits are calls or tokens per minute.
_FIRST_WAIT_S = 0.25
# A refusal for a rate limit says nothing about the call while others are answered: four count as one attempt.
_WEIGHT_OF_CHARGED = 3.0  # a failure that may be paid for: three attempts of eight
_WEIGHT_OF_LIMITS = 0.25
# A server that asks for a longer wait than this has no quota left for today.
_LONGEST_ASKED_S = 3_600.0

# A call that the server takes for wrong is held back so long: it may turn out that all calls are.
_HOLD_S = 1.0

# How often a request to stop, servers that hang and the purse are looked at.
_LOOK_S = 0.1


async def dispatch(work: Work, replicas: Sequence[Replica], limits: Limits, model: Model) -> None:
    """Have every call of every group answered or failed, once, each group by one replica.

    A call that fails for good is answered with a response that says why.

    Raises:
        GaveUp: nothing can be answered any more.
        BudgetReached, Stopped: no more may be sent. What was in flight is settled before.
    """
    await _Dispatch(work, replicas, limits, model).run()


@dataclass(eq=False, slots=True)
class _Begun:
    """A group whose calls are on their way. Its lane changes when its replica does not come back."""

    group: Group
    place: int  # older groups get slots first
    lane: Lane


@dataclass(eq=False, slots=True)
class _Effort:
    """What has been done for one call."""

    call: Call
    attempts: int = 0
    tries: float = 0.0  # the attempts that count against it
    cost_usd: float | None = (
        None  # of attempts that were charged for and not answered, where they said
    )
    was_empty: bool = False
    refused: Refused | None = None
    failed_at: float = 0.0
    wait_s: float = 0.0  # before the next attempt


class _Dispatch:
    def __init__(
        self, work: Work, replicas: Sequence[Replica], limits: Limits, model: Model
    ) -> None:
        self.work = work
        self.queues = Queues(work.groups, len(replicas))
        self.limits = limits
        self.model = model
        self.price = price_of(model)
        self.n_begun = 0  # groups
        self.n_opened = 0  # calls, primers among them
        self.n_settled = 0
        self.n_answers = 0  # settled, primers aside
        self.n_refused = 0  # calls that the server took for wrong, since its last answer
        self.deaths: Counter[str] = (
            Counter()
        )  # of servers at which a call was in flight, by its key
        self.ending = Ending(self._wind_up)
        self.lanes = [
            Lane(number, each, limits, self.ending, self.deaths, self._bury)
            for number, each in enumerate(replicas)
        ]
        self.feeding: asyncio.Task[None] | None = None

    async def run(self) -> None:
        self.feeding = asyncio.create_task(self._feed_all())
        watching = asyncio.create_task(self._watch())
        try:
            await asyncio.wait([self.feeding, watching], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not self.feeding.done():  # this task was cancelled
                self.feeding.cancel()
                await asyncio.wait([self.feeding])
            watching.cancel()
            await asyncio.wait([watching])
        for task in (self.feeding, watching):
            error = None if task.cancelled() else task.exception()
            if error is not None:
                raise _plain(error)  # here, where it keeps its cause
        if self.ending.why is not None:
            kept = f"calls answered in this run, and kept: {self.n_answers:,}"
            raise type(self.ending.why)(f"{self.ending.why}; {kept}")
        if self.n_settled != self.n_opened:
            raise RuntimeError(
                f"{self.n_opened - self.n_settled} of {self.n_opened} calls were lost"
            )

    # --- groups

    async def _feed_all(self) -> None:
        async with asyncio.TaskGroup() as looking:
            async with asyncio.TaskGroup() as feeding:
                for lane in self.lanes:
                    lane.looking = looking
                    feeding.create_task(self._feed(lane))
            for lane in self.lanes:
                lane.look_no_more()

    async def _feed(self, lane: Lane) -> None:
        """Open the lane's groups one after the other, as slots become free."""
        group: Group | None = None
        async with asyncio.TaskGroup() as sending:
            while not self._is_ending():
                if group is None and lane.has_room and not lane.is_dead:
                    group = self._next_group(lane)
                if group is None and self.queues.is_empty:
                    return
                # a dead lane's last group is opened, too: its calls find another
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
                await asyncio.sleep(
                    0
                )  # its calls ask for their slots, and whatever came in is read

    def _next_group(self, lane: Lane) -> Group | None:
        """The lane's next group; others' groups are for when its own are worked off."""
        group = self.queues.next(lane.number, lane.n_open)
        if self.queues.is_empty:
            for each in self.lanes:  # one whose server is gone need not wait for it
                each.wake()
        return group

    async def _send_group(
        self, begun: _Begun, calls: Sequence[Call], first: asyncio.Future[None]
    ) -> None:
        try:
            lane, slot = begun.lane, first
            if len(calls) > 1 and (calls[0].is_primer or self.limits.leads):
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
        """The group's lane; where that is dead, the one with most room takes the whole group over."""
        alive = [lane for lane in self.lanes if not lane.is_dead]
        if begun.lane.is_dead and alive:
            taker = min(alive, key=lambda lane: (lane.open_tokens, lane.slots.taken, lane.number))
            begun.lane.end(begun.group)
            taker.begin(begun.group)
            begun.lane = taker
        return begun.lane

    # --- one call

    async def _answer(
        self, begun: _Begun, call: Call, lane: Lane, asked: asyncio.Future[None] | None
    ) -> None:
        """Settle one call with its answer or its failure, however many attempts that takes, and then in the same
        slot those that its answer gives rise to.

        Args:
            asked: its place in the lane's queue for a slot.
        """
        efforts = deque([_Effort(call)])
        while True:
            async with lane.slot(begun.place, asked):
                while efforts:
                    effort = efforts[0]
                    response = await self._try(lane, effort)
                    if response is None:
                        break
                    efforts.popleft()
                    efforts += map(_Effort, await self._settle(effort.call, response))
            if not efforts:
                return
            asked = None
            if not self._is_ending() and effort.wait_s:
                lane.n_paused += 1
                await self.ending.within(effort.wait_s)
                lane.n_paused -= 1
                lane.wake()
            if self._is_ending():
                if (
                    effort.cost_usd is not None
                ):  # for the accounts; it is asked again in the next run
                    unanswered = Passing("unanswered", "the run ended before another attempt")
                    await self.work.answered(
                        effort.call, self._failed(effort, effort.refused or unanswered)
                    )
                return
            lane = self._lane_of(begun)

    async def _settle(self, call: Call, response: Response) -> Sequence[Call]:
        """Hand an answer over; returns the calls that it gives rise to."""
        more = await self.work.answered(call, response)
        self.deaths.pop(call.key, None)
        self.n_settled += 1
        self.n_answers += not call.is_primer
        self.n_opened += len(more)
        return more

    async def _try(self, lane: Lane, effort: _Effort) -> Response | None:
        """Send a call once. None: it has no answer yet; whether there is another attempt is for the caller to see."""
        effort.wait_s = 0.0
        if effort.refused is not None:
            return self._failed(effort, effort.refused)
        try:
            check_window(effort.call, self.model)
            return await self._attempt(lane, effort)
        except Refused as refused:
            if not effort.attempts or refused.error_type in ("content_filter", "quarantined"):
                return self._failed(effort, refused)  # it is this call that is refused
            self._count_refusal(refused)
            effort.refused, effort.wait_s = refused, _HOLD_S
            return None
        except Hopeless as hopeless:
            self.ending.begin(GaveUp(hopeless.detail))
            return None
        except Passing as passing:
            if self._is_last(lane, effort, passing):
                return self._failed(effort, passing)
            effort.wait_s = self._wait_s(effort, passing)
            return None

    async def _attempt(self, lane: Lane, effort: _Effort) -> Response | None:
        """Reserve, send, pay; None when it may not be sent: the budget is reached, the lane dead, or the run ends.

        Raises:
            Failure: it was not answered.
        """
        reserved = await self._reserve(effort.call)
        if reserved is None:
            return None
        cost, is_sure = 0.0, True
        try:
            async with lane.turn(effort.call) as may_go:
                if not may_go or not await self._holds_lease():
                    return None
                effort.attempts += 1
                response = await lane.send(effort.call)
            # a server that does not say what it took is paid what it could have
            cost = reserved if response.cost_usd is None else response.cost_usd
        except Failure as failure:
            if failure.cost_usd is not None:
                cost = failure.cost_usd
                effort.cost_usd = (effort.cost_usd or 0.0) + cost
            elif _may_be_charged(failure):
                cost, is_sure = reserved, False
            raise
        finally:
            self.work.purse.pay(reserved, cost, is_sure=is_sure)
        self.n_refused = 0
        is_empty = (
            response.text == "" and response.finish_reason != "length" and not effort.call.is_primer
        )
        if is_empty and not effort.was_empty:  # what says nothing twice has nothing to say
            effort.was_empty = True
            effort.cost_usd = response.cost_usd
            return None
        if effort.cost_usd is not None:
            response = replace(response, cost_usd=effort.cost_usd + (response.cost_usd or 0.0))
        return replace(response, attempts=effort.attempts)

    async def _reserve(self, call: Call) -> float | None:
        """Set aside the most that the call can cost; where it is not there, wait for what is in flight.

        None when the run ends, because the budget is reached or otherwise.
        """
        worst = 0.0
        if self.price is not None:
            n_prompt = math.ceil(call.request.n_prompt_tokens * self.model.token_ratio)
            worst = self.price.most(n_prompt, most_tokens(call, self.model))
            while not self.work.purse.has_room(worst) and self.work.purse.in_flight:
                await self.ending.within(_LOOK_S)
                if self._is_ending():
                    return None
        try:
            self.work.purse.reserve(worst)
        except BudgetReached as reached:
            self.ending.begin(reached)
            return None
        return worst

    async def _holds_lease(self) -> bool:
        """Wait until it is sure that no other run asks the model; False when the run ends."""
        try:
            while not self._is_ending() and not self.work.may_send():
                await self.ending.within(_LOOK_S)
        except LeaseLost as lost:
            self.ending.begin(lost)
        return not self._is_ending()

    def _failed(self, effort: _Effort, failure: Failure) -> Response:
        return failed(
            effort.call.request.request_id,
            failure,
            engine=self.model.engine,
            attempts=effort.attempts,
            cost_usd=effort.cost_usd,
        )

    # --- whether and when to try again

    def _is_last(self, lane: Lane, effort: _Effort, failure: Passing) -> bool:
        """Count a failed attempt against its call, unless it is the server that fails; True when there is no other."""
        others_answered = lane.breaker.last_answer > effort.failed_at > 0
        if not lane.breaker.is_open:
            limited = failure.error_type == "rate_limited" and others_answered
            charged = (
                _WEIGHT_OF_CHARGED if _may_be_charged(failure) and self.price is not None else 1.0
            )
            effort.tries += _WEIGHT_OF_LIMITS if limited else charged
        effort.failed_at = monotonic()
        return effort.tries >= self.limits.attempts

    def _wait_s(self, effort: _Effort, failure: Passing) -> float:
        """Seconds before the next attempt: full jitter, or as long as the server asks."""
        asked_s = failure.retry_after_s
        if asked_s is None:
            growth = 4.0 if failure.slows else 2.0
            bound = _FIRST_WAIT_S * growth ** min(effort.attempts - 1, 16)
            return random.uniform(0.0, min(self.limits.longest_wait_s, bound))
        if asked_s > _LONGEST_ASKED_S:
            self.ending.begin(
                GaveUp(
                    f"{self.model.name}: the server asks to come back in {asked_s / 3600:.1f} hours ({failure.detail}); "
                    "run the same command again then"
                )
            )
        return asked_s + random.uniform(0.0, 0.1 * asked_s)

    # --- the end

    def _is_ending(self) -> bool:
        if self.ending.why is None and stop_requested():
            self.ending.begin(Stopped("stopped; run the same command to go on"))
        return self.ending.why is not None

    def _wind_up(self, why: RunFailed) -> None:
        """Have whoever waits look again. When the run gives up, what comes soon is kept, the rest not waited for."""
        for lane in self.lanes:
            lane.wake()
        if isinstance(why, GaveUp) and self.feeding is not None:
            asyncio.get_running_loop().call_later(self.limits.grace_s, self.feeding.cancel)

    def _bury(self, why: str) -> None:
        """When the last lane is dead, the run ends; before that, the others take over what it had."""
        if all(lane.is_dead for lane in self.lanes):
            self.ending.begin(GaveUp(f"{self.model.name}: {why}"))

    def _count_refusal(self, refused: Refused) -> None:
        """End a run whose every call is wrong, before each is kept as a failure: its model's row is what is wrong."""
        self.n_refused += 1
        if self.n_refused >= self.limits.hopeless_after:
            self.ending.begin(
                GaveUp(
                    f"{self.model.name}: the server took none of the last {self.n_refused} calls: {refused.detail}; "
                    "mend the model's row in the models file, then run again"
                )
            )

    async def _watch(self) -> None:
        """Heed a request to stop, and notice a replica that holds calls and answers none."""
        while True:
            await asyncio.sleep(_LOOK_S)
            self._is_ending()
            for lane in self.lanes:
                if (held_up := lane.held_up()) is not None:
                    self.ending.begin(GaveUp(f"{self.model.name}: {held_up}"))


def _may_be_charged(failure: Failure) -> bool:
    """Whether the server may have worked before it failed."""
    if isinstance(failure, Lost) and not failure.was_sent:
        return False
    return isinstance(failure, Passing) and failure.error_type not in _UNPAID


def _plain(error: BaseException) -> BaseException:
    """An error by itself; of a group, its first."""
    return _plain(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
