"""Deaths of servers by call: counted while a run goes on, kept for the next, gone with the answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import pytest

from tasks.core.cancellation import Stopped, request_stop, withdraw_stop
from tasks.core.rows import Response
from tasks.inference.cache.crash_counts import Deaths, counting_deaths, deaths
from tasks.inference.cache.response_cache import Journal
from tasks.inference.engines.dispatch import GaveUp, Limits, dispatch
from tasks.inference.operation import Call, Group, grouped
from tests.calls import call_of, group_of
from tests.played import MODEL, Heard, Played, all_ok, dispatched, groups_of
from tests.scripted import response_to
from tests.virtual_time import run_at_once

KILLER = call_of("Document 0.", " Question 3?", MODEL)


def keys_of(document: str, n_calls: int) -> set[str]:
    return {call.key for call in group_of(document, n_calls, MODEL)}


class Kept:
    """A journal played: what was made durable, and who has claimed what."""

    def __init__(self) -> None:
        self.deaths: Counter[str] = Counter()
        self.claimed: set[str] = set()

    async def add_deaths(self, keys: Collection[str]) -> None:
        self.deaths.update(keys)
        await asyncio.sleep(0.1)  # a disk takes its time

    def claim(self, keys: Sequence[str]) -> set[str]:
        ours = set(keys) - self.claimed
        self.claimed |= ours
        return ours

    def release(self, keys: Collection[str]) -> None:
        assert self.claimed.issuperset(keys)
        self.claimed -= set(keys)

    def recalled(self, suspects: Sequence[Call]) -> Deaths:
        """The counts of a run that finds these calls to have been in flight at one death."""
        counts = Deaths(self)
        counts.recall({call.key: 1 for call in suspects})
        return counts


# --- in a run --------------------------------------------------------------------------------


def test_counts_are_of_the_block_and_its_tasks_only() -> None:
    counts = Deaths()

    async def within_a_task() -> Deaths:
        return deaths()

    async def main() -> Deaths:
        with counting_deaths(counts):
            return await asyncio.create_task(within_a_task())

    assert asyncio.run(main()) is counts
    assert deaths() is not deaths()


def test_what_was_in_flight_is_counted_before_the_run_gives_up() -> None:
    server = Played(poison="Question 3?")
    kept = Kept()
    with counting_deaths(Deaths(kept)):
        heard = dispatched(groups_of([8]), [server], Limits(in_flight=6, patience_s=20))
    assert isinstance(heard.ended, GaveUp)
    assert kept.deaths.keys() == {call.key for call in server.sent} > {KILLER.key}
    assert set(kept.deaths.values()) == {1}


@pytest.mark.parametrize("stopped_after_s", [0.5, 30.0])
def test_what_was_in_flight_is_counted_when_the_run_is_stopped_meanwhile(stopped_after_s: float) -> None:
    class Stopping(Played):
        def die(self) -> None:
            super().die()
            asyncio.get_running_loop().call_later(stopped_after_s, request_stop)

    kept = Kept()
    try:
        with counting_deaths(Deaths(kept)):
            heard = dispatched(groups_of([4]), [Stopping(poison="Question 3?")], Limits(patience_s=60))
    finally:
        withdraw_stop()
    assert isinstance(heard.ended, Stopped)
    assert kept.deaths == Counter(keys_of("Document 0.", 4))


@pytest.mark.parametrize(("late_s", "n_after_12_s"), [(10.0, 8), (19.7, 5)])  # it is asked once a second
def test_what_was_in_flight_is_counted_while_the_server_is_waited_for_and_what_is_lost_later_then(
    late_s: float, n_after_12_s: int
) -> None:
    class Slowly(Played):
        """Lets go of some connections later than of the others, as a network does."""

        def die(self) -> None:
            late = dict(list(self.answering.items())[5:])
            for request_id in late:
                del self.answering[request_id]
            super().die()
            self.answering |= late
            asyncio.get_running_loop().call_later(late_s, super().die)
            for after_s in (2.0, 12.0):
                asyncio.get_running_loop().call_later(after_s, lambda: counted.append(Counter(kept.deaths)))

    kept = Kept()
    counted: list[Counter[str]] = []
    calls = group_of("Document 0.", 8, MODEL)
    with counting_deaths(Deaths(kept)):
        dispatched(groups_of([8]), [Slowly(poison="Question 7?", latency_s=30.0)], Limits(patience_s=20))
    keys = [call.key for call in calls]
    assert counted == [Counter(keys[:5]), Counter(keys[:n_after_12_s])]
    assert kept.deaths == Counter(keys)


def test_a_server_that_lives_has_not_died() -> None:
    server, kept = Played(), Kept()
    with counting_deaths(Deaths(kept)):
        assert all_ok(dispatched(groups_of([4] * 10), [server]), 40)
    assert not kept.deaths


def test_a_call_with_a_death_is_sent_alone_and_one_with_two_is_not_sent() -> None:
    server = Played()
    counts = Deaths()
    suspect, killer = (call_of("Document 3.", f" Question {number}?", MODEL) for number in (1, 2))
    counts.recall({suspect.key: 1, killer.key: 2})
    with counting_deaths(counts):
        heard = dispatched(groups_of([4] * 10), [server], Limits(in_flight=8))
    assert heard.statuses() == Counter(ok=39, quarantined=1)
    assert heard.responses[killer.prompt].attempts == 0
    assert server.n_sent[killer.prompt] == 0
    place = [call.prompt for call in server.sent].index(suspect.prompt)
    assert server.together[place] == (suspect.request.request_id,)
    assert all(suspect.request.request_id not in now for now in server.together[place + 1 :])


def test_settled_calls_are_forgotten() -> None:
    server = Played(poison="Question 3?", returns_s=3.0)
    counts = Deaths()
    with counting_deaths(counts):
        heard: Heard = dispatched(groups_of([4]), [server], Limits(in_flight=4))
    assert heard.statuses() == Counter(ok=3, quarantined=1)
    assert {counts.of(key) for key in keys_of("Document 0.", 4)} == {0}


# --- several runs at once --------------------------------------------------------------------


def together(runs: Sequence[tuple[list[Group], Deaths]], server: Played) -> Counter[tuple[str, str]]:
    """Have one server asked by several runs at once: (prompt, status) of what they settle."""
    found: Counter[tuple[str, str]] = Counter()

    async def settle(call: Call, response: Response) -> None:
        found[call.prompt, response.status] += 1

    async def run(groups: list[Group], counts: Deaths) -> None:
        with counting_deaths(counts):
            await dispatch(groups, [server], Limits(in_flight=4), settle, MODEL)

    async def main() -> None:
        async with asyncio.timeout(3_600), asyncio.TaskGroup() as running:
            for groups, counts in runs:
                running.create_task(run(groups, counts))

    run_at_once(main())
    return found


def test_the_suspects_of_two_runs_are_not_in_flight_together() -> None:
    server, kept = Played(poison="Document 1. Question 3?", returns_s=3.0, latency_s=5.0), Kept()
    runs = [
        (grouped(calls), kept.recalled(calls))
        for calls in (group_of("Document 0.", 4, MODEL), group_of("Document 1.", 4, MODEL))
    ]
    found = together(runs, server)
    assert set(found.values()) == {1}
    assert {prompt for prompt, status in found if status == "quarantined"} == {"Document 1. Question 3?"}
    assert {len(now) for now in server.together} == {1}
    assert not kept.claimed


def test_a_run_that_is_cancelled_gives_its_turn_up() -> None:
    kept = Kept()
    suspects = group_of("Document 0.", 1, MODEL)

    async def main() -> None:
        server = Played(latency_s=5.0)
        run = asyncio.create_task(
            dispatch(grouped(suspects), [server], Limits(), lambda call, response: asyncio.sleep(0), MODEL)
        )
        await asyncio.sleep(1.0)
        assert server.answering
        assert kept.claimed
        run.cancel()
        await asyncio.wait([run])

    with counting_deaths(kept.recalled(suspects)):
        run_at_once(main())
    assert not kept.claimed


def test_a_run_that_waits_for_anothers_suspect_can_be_stopped_and_takes_no_turn_that_is_not_its_own() -> None:
    server, kept = Played(), Kept()
    suspects = group_of("Document 0.", 4, MODEL)
    assert Deaths(kept).claim(server.name)

    async def stopping(call: Call, response: Response) -> None:
        raise AssertionError("nothing may be sent")

    async def main() -> None:
        asyncio.get_running_loop().call_later(30.0, request_stop)
        with counting_deaths(kept.recalled(suspects)):
            await dispatch(grouped(suspects), [server], Limits(), stopping, MODEL)

    try:
        with pytest.raises(Stopped):
            run_at_once(main())
    finally:
        withdraw_stop()
    assert not server.sent
    assert not Deaths(kept).claim(server.name)


def test_turns_are_a_servers_and_end_with_their_run(opened: Callable[[], Journal]) -> None:
    ours, theirs = opened(), opened()
    assert Deaths(theirs).claim("http://one/v1")
    assert not Deaths(ours).claim("http://one/v1")
    assert Deaths(ours).claim("http://two/v1")
    theirs.close()
    assert Deaths(ours).claim("http://one/v1")
    Deaths(ours).release("http://one/v1")
    assert Deaths(opened()).claim("http://one/v1")


# --- from run to run -------------------------------------------------------------------------


def test_the_journal_counts_until_there_is_an_answer(journal: Journal) -> None:
    first, other = group_of("Document", 2, MODEL)
    assert journal.deaths([first.key]) == {}

    async def main() -> None:
        await journal.add_deaths({first.key, other.key})
        await journal.add_deaths({first.key})
        assert journal.deaths([first.key, other.key, "unknown"]) == {first.key: 2, other.key: 1}
        await journal.add(first.key, response_to(first, "Well."), model="m", operation="ask")
        assert journal.deaths([first.key, other.key]) == {other.key: 1}

    asyncio.run(main())
    journal.close()
    assert journal.deaths([first.key, other.key]) == {other.key: 1}
