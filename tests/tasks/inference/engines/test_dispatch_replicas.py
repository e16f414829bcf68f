"""The dispatcher: which replica answers a group, and what happens to a dead replica's calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tasks.inference.engines.dispatch import GaveUp, Limits
from tasks.inference.engines.failures import Lost
from tests.played import Heard, Played, all_ok, dispatched, failing, groups_of, server_error

# --- several replicas ------------------------------------------------------------------------


def where(servers: Sequence[Played]) -> dict[str, set[int]]:
    """Document -> the servers that were sent some of its calls."""
    found: dict[str, set[int]] = {}
    for number, server in enumerate(servers):
        for call in server.sent:
            found.setdefault(call.prefix.text, set()).add(number)
    return found


def test_a_group_is_answered_by_one_replica() -> None:
    servers = [Played("a"), Played("b"), Played("c")]
    heard = dispatched(groups_of([7] * 30), servers, Limits(in_flight=8))
    assert all_ok(heard, 210)
    assert {len(replicas) for replicas in where(servers).values()} == {1}
    assert [len(server.sent) for server in servers] == [70, 70, 70]


def test_an_idle_replica_takes_whole_groups_from_a_slow_one() -> None:
    servers = [Played("fast", latency_s=1.0), Played("slow", latency_s=20.0)]
    heard = dispatched(groups_of([4] * 20), servers, Limits(in_flight=4))
    assert all_ok(heard, 80)
    assert len(servers[0].sent) > 2 * len(servers[1].sent)
    assert {len(replicas) for replicas in where(servers).values()} == {1}
    stolen = [call.prefix.text for call in servers[0].sent]
    assert stolen.index("Document 19.") < len(stolen)  # from the far end


def test_a_dead_replicas_groups_are_taken_over_whole() -> None:
    servers = [Played("stays"), Played("goes")]

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 40 and servers[1].is_up:
            servers[1].die()

    heard = dispatched(
        groups_of([8] * 30), servers, Limits(in_flight=8, patience_s=20), meanwhile=kill
    )
    assert all_ok(heard, 240)
    seen = where(servers)
    after = {call.prefix.text for call in servers[1].sent}
    assert {text for text, replicas in seen.items() if replicas == {0, 1}} <= after
    resent = [prompt for prompt, n in (servers[0].n_sent + servers[1].n_sent).items() if n > 1]
    assert len(resent) <= 8  # what was in flight


def test_a_replica_that_fails_whoever_asks_is_not_taken_back() -> None:
    servers = [Played("well"), Played("ill", behaves=failing(server_error))]
    heard = dispatched(groups_of([1] * 2_000), servers, Limits(in_flight=32, patience_s=5))
    assert all_ok(heard, 2_000)
    assert len(servers[1].sent) < 10 * 32  # for some seconds in all slots


def test_when_the_last_replica_is_gone_the_run_ends_with_a_sentence() -> None:
    servers = [Played("http://one"), Played("http://two")]

    def kill(heard: Heard) -> None:
        for server in servers:
            if len(heard.settled) >= 20 and server.is_up:
                server.die()

    heard = dispatched(
        groups_of([2] * 60), servers, Limits(in_flight=4, patience_s=30), meanwhile=kill
    )
    assert isinstance(heard.ended, GaveUp)
    said = str(heard.ended)
    assert "has not answered for 30 s" in said
    assert "run the same command again" in said
    assert f"kept in this run: {len(heard.settled)}" in said


# --- a server that dies ----------------------------------------------------------------------


def test_a_server_that_dies_and_returns_loses_no_call() -> None:
    server = Played(returns_s=25.0)

    def kill(heard: Heard) -> None:
        if len(heard.settled) == 30 and not server.deaths:
            server.die()

    heard = dispatched(groups_of([4] * 20), [server], Limits(in_flight=8), meanwhile=kill)
    assert all_ok(heard, 80)
    assert server.deaths == 1
    assert sum(n - 1 for n in server.n_sent.values()) <= 8  # only what was in flight was sent again


@pytest.mark.parametrize("in_flight", [2, 8, 64])
def test_the_innocent_are_spared_however_many_poison_calls_there_are(in_flight: int) -> None:
    server = Played(poison="Question 3?", returns_s=3.0)
    heard = dispatched(groups_of([4] * 12), [server], Limits(in_flight=in_flight))
    assert heard.ended is None
    quarantined = {
        prompt for prompt, response in heard.responses.items() if response.status == "quarantined"
    }
    assert quarantined == {f"Document {number}. Question 3?" for number in range(12)}
    assert heard.statuses() == Counter(ok=36, quarantined=12)


def test_a_poison_call_of_a_dead_replica_does_not_kill_two_more() -> None:
    servers = [
        Played(name, poison="Document 5. Question 1?", returns_s=4.0) for name in ("a", "b", "c")
    ]
    heard = dispatched(groups_of([3] * 30), servers, Limits(in_flight=4))
    assert heard.statuses() == Counter(ok=89, quarantined=1)
    assert sum(server.deaths for server in servers) == 2


def test_a_lost_connection_to_a_server_that_lives_is_no_death() -> None:
    reset = failing(lambda: Lost("connection", "reset"), times=4, match="Question 0?")
    server = Played(behaves=reset)
    heard = dispatched(groups_of([3] * 10), [server])
    assert all_ok(heard, 30)
    assert server.n_sent["Document 0. Question 0?"] == 5
