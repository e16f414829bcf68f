"""The dispatcher and the turn: nothing is sent while another machine might be sending the same."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core import cancellation
from tasks.core.cancellation import Stopped
from tasks.inference.cache.turns import TurnLost, in_turn, turn
from tasks.inference.engines.dispatch import Limits
from tests.played import Heard, Played, all_ok, dispatched, groups_of


@dataclass(eq=False)
class Given:
    """A turn that is as the test says."""

    is_taken: bool = True
    n_unsure: int = 0  # how often one who asks is told to wait
    is_lost: bool = False
    n_ended: int = 0

    async def take(self) -> None:
        raise AssertionError("the dispatcher takes no turns")

    def may_send(self) -> bool:
        if self.is_lost:
            raise TurnLost("another has it")
        self.n_unsure -= 1
        return self.n_unsure < 0

    def end(self) -> None:
        self.n_ended += 1


def test_calls_wait_until_it_is_sure_that_the_turn_is_ours() -> None:
    server, given = Played(), Given(n_unsure=50)
    with in_turn(given):
        heard = dispatched(groups_of([3, 3]), [server], Limits(in_flight=1))
    assert all_ok(heard, 6)
    assert heard.took_s > 6 + 4  # 50 looks of a tenth of a second
    assert given.n_ended == 1


def test_a_turn_that_is_lost_ends_the_run_when_what_is_in_flight_is_settled() -> None:
    server, given = Played(), Given()

    def lose(heard: Heard) -> None:
        given.is_lost = len(heard.settled) >= 5

    with in_turn(given):
        heard = dispatched(groups_of([4] * 20), [server], Limits(in_flight=4), meanwhile=lose)
    assert isinstance(heard.ended, TurnLost)
    assert len(server.sent) == len(heard.settled) < 12
    assert f"another has it; calls answered in this run, and kept: {len(heard.settled)}" in str(heard.ended)


def test_who_waits_for_the_turn_heeds_a_request_to_stop() -> None:
    server = Played()
    cancellation.request_stop()
    try:
        with in_turn(Given(n_unsure=10**9)):
            heard = dispatched(groups_of([2]), [server])
    finally:
        cancellation.withdraw_stop()
    assert isinstance(heard.ended, Stopped)
    assert server.sent == []


def test_where_nobody_shares_the_lake_it_is_always_our_turn() -> None:
    assert turn().is_taken
    assert turn().may_send()
    assert all_ok(dispatched(groups_of([2]), [Played()]), 2)
