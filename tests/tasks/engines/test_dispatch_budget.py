"""The dispatcher and the purse: what is set aside for calls in flight, paid and given back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.engines.dispatch import GaveUp, Limits
from tasks.engines.failures import Failure, Hopeless, Lost, Passing, Refused
from tasks.operations import Call
from tasks.spending import BudgetReached, spending
from tests.played import (
    PRICED,
    Played,
    dispatched,
    failing,
    groups_of,
    rate_limited,
    server_error,
)


def test_the_budget_counts_calls_in_flight_and_is_never_exceeded() -> None:
    with spending(10.0) as purse:
        server = Played(cost_usd=0.25)
        heard = dispatched(groups_of([4] * 50, PRICED), [server], Limits(in_flight=8), model=PRICED)
        assert isinstance(heard.ended, BudgetReached)
        paid = sum(response.cost_usd or 0.0 for response in heard.responses.values())
        assert purse.spent == pytest.approx(paid)
        assert 9.0 < paid <= 10.0
        assert (purse.in_flight, purse.reserved) == (0, 0.0)
    assert len(server.sent) == len(heard.settled)  # nothing in flight was left
    assert f"{len(heard.settled)} of 200 calls" in str(heard.ended)


@pytest.mark.parametrize(
    ("failure", "is_paid"),
    [
        (rate_limited, False),
        (server_error, False),
        (lambda: Lost("connection", "refused", was_sent=False), False),
        (lambda: Lost("cut_reply", "half"), True),
        (lambda: Passing("unreadable_reply", "no JSON"), True),
        (lambda: Refused("bad_request", "no"), False),
    ],
    ids=["429", "500", "refused", "cut", "not json", "400"],
)
def test_the_purse_gets_back_what_was_set_aside(failure: Callable[[], Failure], is_paid: bool) -> None:
    with spending(1_000.0) as purse:
        server = Played(behaves=failing(failure, times=1), cost_usd=0.25)
        heard = dispatched(groups_of([4], PRICED), [server], model=PRICED)
        assert heard.ended is None
        assert (purse.in_flight, purse.reserved) == (0, 0.0)
        answered = heard.statuses()["ok"]
        assert purse.spent == pytest.approx(0.25 * answered + (4.0 if is_paid else 0.0))


def test_what_a_refused_answer_has_cost_is_in_its_row_and_in_the_purse() -> None:
    def filtered() -> Refused:
        return Refused("content_filter", "ended", cost_usd=0.5)

    with spending(1_000.0) as purse:
        server = Played(behaves=failing(filtered, match="Question 0?"), cost_usd=0.25)
        heard = dispatched(groups_of([3], PRICED), [server], model=PRICED)
        assert heard.responses["Document 0. Question 0?"].cost_usd == 0.5
        assert purse.spent == pytest.approx(1.0)


def test_the_purse_gets_back_what_was_set_aside_when_the_run_gives_up() -> None:
    def behave(call: Call, attempt: int) -> str | Failure | None:
        return Hopeless("over") if "Document 0." in call.prompt else None

    with spending(1_000.0) as purse:
        heard = dispatched(
            groups_of([1] * 30, PRICED), [Played(behaves=behave)], Limits(in_flight=8), model=PRICED
        )
        assert isinstance(heard.ended, GaveUp)
        assert (purse.in_flight, purse.reserved) == (0, 0.0)


def test_a_server_that_does_not_say_what_it_took_is_paid_what_it_could_have() -> None:
    with spending(1_000.0) as purse:
        dispatched(groups_of([4], PRICED), [Played(cost_usd=None)], model=PRICED)
        assert purse.spent > 0
