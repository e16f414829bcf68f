"""The dispatcher and the lease: nothing is sent while another machine might be sending the same."""

from __future__ import annotations

from tasks.core import cancellation
from tasks.core.cancellation import Stopped
from tasks.inference.engines.dispatch import Limits
from tasks.lake.lease import LeaseLost
from tests.played import Heard, Played, all_ok, dispatched, groups_of


class Given:
    """A lease that is as the test says."""

    def __init__(self, n_unsure: int = 0) -> None:
        self.n_unsure = n_unsure  # how often one who asks is told to wait
        self.is_lost = False

    def may_send(self) -> bool:
        if self.is_lost:
            raise LeaseLost("another has it")
        self.n_unsure -= 1
        return self.n_unsure < 0


def test_calls_wait_until_it_is_sure_that_the_lease_is_ours() -> None:
    server, given = Played(), Given(n_unsure=50)
    heard = dispatched(groups_of([3, 3]), [server], Limits(in_flight=1), may_send=given.may_send)
    assert all_ok(heard, 6)
    assert heard.took_s > 6 + 4  # 50 looks of a tenth of a second


def test_a_lease_that_is_lost_ends_the_run_when_what_is_in_flight_is_settled() -> None:
    server, given = Played(), Given()

    def lose(heard: Heard) -> None:
        given.is_lost = len(heard.settled) >= 5

    heard = dispatched(
        groups_of([4] * 20), [server], Limits(in_flight=4), meanwhile=lose, may_send=given.may_send
    )
    assert isinstance(heard.ended, LeaseLost)
    assert len(server.sent) == len(heard.settled) < 12
    assert f"another has it. Answers kept in this run: {len(heard.settled)}" in str(heard.ended)


def test_who_waits_for_the_lease_heeds_a_request_to_stop() -> None:
    server = Played()
    cancellation.request_stop()
    try:
        heard = dispatched(groups_of([2]), [server], may_send=Given(n_unsure=10**9).may_send)
    finally:
        cancellation.withdraw_stop()
    assert isinstance(heard.ended, Stopped)
    assert server.sent == []
