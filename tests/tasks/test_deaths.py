"""Deaths of servers by call: counted while a run goes on, kept for the next, gone with the answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection

import pytest

from tasks.deaths import Deaths, counting_deaths, deaths
from tasks.engines.dispatch import GaveUp, Limits
from tasks.journal import Journal
from tasks.stopping import Stopped, request_stop, withdraw_stop
from tests.calls import call_of, group_of
from tests.played import MODEL, Heard, Played, all_ok, dispatched, groups_of
from tests.scripted import response_to

KILLER = call_of("Document 0.", " Question 3?", MODEL)


def keys_of(document: str, n_calls: int) -> set[str]:
    return {call.key for call in group_of(document, n_calls, MODEL)}


class Kept(Deaths):
    """Counts that remember what was made durable."""

    def __init__(self) -> None:
        super().__init__(self.keep)
        self.kept: Counter[str] = Counter()

    async def keep(self, keys: Collection[str]) -> None:
        self.kept.update(keys)
        await asyncio.sleep(0.1)  # a disk takes its time


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
    with counting_deaths(kept):
        heard = dispatched(groups_of([8]), [server], Limits(in_flight=6, patience_s=20))
    assert isinstance(heard.ended, GaveUp)
    assert kept.kept.keys() == {call.key for call in server.sent} > {KILLER.key}
    assert set(kept.kept.values()) == {1}


@pytest.mark.parametrize("stopped_after_s", [0.5, 30.0])
def test_what_was_in_flight_is_counted_when_the_run_is_stopped_meanwhile(stopped_after_s: float) -> None:
    class Stopping(Played):
        def die(self) -> None:
            super().die()
            asyncio.get_running_loop().call_later(stopped_after_s, request_stop)

    kept = Kept()
    try:
        with counting_deaths(kept):
            heard = dispatched(groups_of([4]), [Stopping(poison="Question 3?")], Limits(patience_s=60))
    finally:
        withdraw_stop()
    assert isinstance(heard.ended, Stopped)
    assert kept.kept == Counter(keys_of("Document 0.", 4))


def test_a_server_that_lives_has_not_died() -> None:
    server, kept = Played(), Kept()
    with counting_deaths(kept):
        assert all_ok(dispatched(groups_of([4] * 10), [server]), 40)
    assert not kept.kept


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
