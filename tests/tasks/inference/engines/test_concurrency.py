"""Slots: laws for any requests, returns and cancellations; how outcomes change their number."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.inference.engines.concurrency import Slots
from tests.virtual_time import run_at_once


def nothing() -> None:
    """Nobody waits for room."""


@dataclass(eq=False)
class Asker:
    """Someone who wants a slot: waits for it, holds it until told to go."""

    place: int
    number: int
    go: asyncio.Event = field(default_factory=asyncio.Event)
    holds: bool = False
    task: asyncio.Task[None] | None = None


class Room:
    """Slots, who holds them, and in which order they came."""

    def __init__(self, most: int) -> None:
        self.slots = Slots(most, nothing)
        self.askers: list[Asker] = []
        self.served: list[tuple[int, int]] = []

    @property
    def holders(self) -> list[Asker]:
        return [asker for asker in self.askers if asker.holds]

    @property
    def waiting(self) -> list[Asker]:
        return [a for a in self.askers if not a.holds and a.task is not None and not a.task.done()]

    async def _live(self, asker: Asker, asked: asyncio.Future[None]) -> None:
        await self.slots.granted(asked)
        asker.holds = True
        self.served.append((asker.place, asker.number))
        try:
            await asker.go.wait()
        finally:
            asker.holds = False
            self.slots.give_back()

    def ask(self, place: int) -> None:
        asker = Asker(place, len(self.askers))
        self.askers.append(asker)
        asker.task = asyncio.create_task(self._live(asker, self.slots.ask(place)))

    async def settle(self) -> None:
        for _ in range(4):
            await asyncio.sleep(0)


STEPS = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 5)),
    st.tuples(st.just("leave"), st.integers(0, 30)),
    st.tuples(st.just("cancel"), st.integers(0, 30)),
    st.tuples(st.just("cancel at once"), st.integers(0, 30)),
    st.tuples(st.just("slowed"), st.integers(1, 20)),
    st.tuples(st.just("well"), st.integers(1, 20)),
)


@given(most=st.integers(1, 5), steps=st.lists(STEPS, max_size=80))
def test_slots_are_never_more_than_the_limit_and_none_is_lost(
    most: int, steps: list[tuple[str, int]]
) -> None:
    async def main() -> None:
        room = Room(most)
        for step, number in steps:
            taken, limit = room.slots.taken, int(room.slots.limit)
            if step == "ask":
                room.ask(number)
            elif step == "leave" and room.holders:
                room.holders[number % len(room.holders)].go.set()
            elif step.startswith("cancel") and room.askers:
                asker = room.askers[number % len(room.askers)]
                if (
                    step == "cancel at once"
                ):  # a slot may have just been given to one who does not know it yet
                    for other in room.holders[:1]:
                        other.go.set()
                        await asyncio.sleep(0)
                assert asker.task is not None
                asker.task.cancel()
            elif step in ("slowed", "well"):
                for _ in range(number):
                    room.slots.count(slowed=step == "slowed")
                    limit = max(limit, int(room.slots.limit))  # it may rise and fall in a step
            await room.settle()
            assert len(room.holders) == room.slots.taken <= most
            assert room.slots.taken <= max(taken, int(room.slots.limit), limit)
            if room.waiting:  # nobody waits while a slot is free
                assert room.slots.taken >= int(room.slots.limit)
            assert room.slots.has_room == (
                not room.waiting and room.slots.taken < int(room.slots.limit)
            )
        for asker in room.askers:
            asker.go.set()
        for _ in room.askers:
            await room.settle()
        assert room.slots.taken == 0
        assert not room.waiting
        assert room.slots.has_room

    run_at_once(main())


def test_whoever_is_cancelled_with_a_slot_just_given_leaves_it_to_the_next() -> None:
    async def main() -> None:
        slots = Slots(1, nothing)
        first, second, third = (slots.ask(0) for _ in range(3))
        await slots.granted(first)
        waiting = asyncio.create_task(slots.granted(second))
        await asyncio.sleep(0)
        slots.give_back()  # the slot is the second's, who is cancelled before it can know
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await slots.granted(third)
        assert slots.taken == 1

    run_at_once(main())


# --- how many the server bears ---------------------------------------------------------------


def after(most: int, outcomes: Callable[[int], bool], n_outcomes: int) -> list[float]:
    """The limit after each outcome; `outcomes(n)` says whether the n-th was a refusal."""
    slots = Slots(most, nothing)
    limits = []
    for number in range(n_outcomes):
        slots.count(slowed=outcomes(number))
        limits.append(slots.limit)
    return limits


@pytest.mark.parametrize("most", [16, 64, 256])
def test_the_limit_falls_once_a_round_trip(most: int) -> None:
    limits = after(most, lambda number: True, 4 * most)
    assert limits[most - 2] == most
    assert limits[most - 1] == pytest.approx(0.7 * most)
    falls = sum(later < earlier for earlier, later in itertools.pairwise(limits))
    assert falls <= 20
    assert limits[-1] < 0.4 * most


@pytest.mark.parametrize("most", [4, 64])
def test_the_limit_climbs_back_to_what_it_was(most: int) -> None:
    limits = after(most, lambda number: number < 1_000, 4_000)
    assert limits[999] < 2
    assert limits[-1] == most
    climbing = limits[1_020:]  # the round in which the server recovers has seen both
    assert climbing == sorted(climbing)
    assert max(later - earlier for earlier, later in itertools.pairwise(climbing)) <= 1.0
