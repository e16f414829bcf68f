"""The dispatcher and the purse: what is set aside for calls in flight, paid and given back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.core.budget import BudgetReached, Purse
from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.engines.dispatch import GaveUp, Limits
from tasks.inference.engines.failures import Failure, Lost, Passing, Refused
from tasks.inference.engines.openai_protocol import cut_reply
from tasks.inference.operation import Call
from tests.played import (
    PRICED,
    Behaviour,
    Played,
    dispatched,
    failing,
    groups_of,
    rate_limited,
    server_error,
    well,
)


def test_the_budget_counts_calls_in_flight_and_is_never_exceeded() -> None:
    purse = Purse(10.0)
    server = Played(cost_usd=0.25)
    heard = dispatched(
        groups_of([4] * 50, PRICED), [server], Limits(in_flight=8), model=PRICED, purse=purse
    )
    assert isinstance(heard.ended, BudgetReached)
    paid = sum(response.cost_usd or 0.0 for response in heard.responses.values())
    assert purse.spent == pytest.approx(paid)
    assert 9.0 < paid <= 10.0
    assert (purse.in_flight, purse.reserved) == (0, 0.0)
    assert len(server.sent) == len(heard.settled)  # nothing in flight was left
    assert f"kept in this run: {len(heard.settled)}" in str(heard.ended)
    assert ".." not in str(heard.ended)


@pytest.mark.parametrize(
    ("failure", "is_paid"),
    [
        (rate_limited, False),
        (server_error, False),
        (lambda: Lost("connection", "refused", was_sent=False), False),
        (lambda: Lost("connection", "reset"), True),
        (cut_reply, True),
        (lambda: Passing("unreadable_reply", "no JSON"), True),
        (lambda: Refused("bad_request", "no"), False),
    ],
    ids=["429", "500", "refused", "reset", "cut", "not json", "400"],
)
def test_the_purse_gets_back_what_was_set_aside(
    failure: Callable[[], Failure], is_paid: bool
) -> None:
    purse = Purse(1_000.0)
    server = Played(behaves=failing(failure, times=1), cost_usd=0.25)
    heard = dispatched(groups_of([4], PRICED), [server], model=PRICED, purse=purse)
    assert heard.ended is None
    assert (purse.in_flight, purse.reserved) == (0, 0.0)
    answered = heard.statuses()["ok"]
    assert purse.spent == pytest.approx(0.25 * answered + (4.0 if is_paid else 0.0))


def reply(cost_usd: float) -> Response:
    return Response(
        request_id="sent",
        status="ok",
        text="",
        finish_reason="length",
        n_prompt=90,
        n_output=512,
        attempts=1,
        engine="played",
        cost_usd=cost_usd,
    )


def test_what_a_refused_answer_has_cost_is_in_its_row_and_in_the_purse() -> None:
    def filtered() -> Refused:
        return Refused("content_filter", "ended", reply=reply(0.5))

    purse = Purse(1_000.0)
    server = Played(behaves=failing(filtered, match="Question 0?"), cost_usd=0.25)
    heard = dispatched(groups_of([3], PRICED), [server], model=PRICED, purse=purse)
    found = heard.responses["Document 0. Question 0?"]
    assert (found.status, found.text, found.cost_usd) == ("error", None, 0.5)
    assert (found.finish_reason, found.n_prompt, found.n_output) == ("length", 90, 512)
    assert found.latency_ms is not None
    assert purse.spent == pytest.approx(1.0)


def broken_off_at_first(call: Call, attempt: int) -> str | Failure | None:
    broken = Passing("broken_off", "the server broke the reply off", reply=reply(0.25))
    return broken if attempt == 1 else well(call, attempt)


def cut_short(call: Call, attempt: int) -> str | Failure | None:
    return Refused("cut_before_answer", "still thinking", reply=reply(0.25))


@pytest.mark.parametrize(
    ("behaves", "ended"), [(broken_off_at_first, BudgetReached), (cut_short, GaveUp)]
)
def test_what_an_attempt_has_cost_is_settled_though_the_run_ends_before_the_next(
    behaves: Behaviour, ended: type[RunFailed]
) -> None:
    """A run that ends between two attempts of a call leaves no dollar out of its rows."""
    purse = Purse(6.0)
    server = Played(behaves=behaves, cost_usd=0.25)
    heard = dispatched(
        groups_of([4] * 50, PRICED), [server], Limits(in_flight=8), model=PRICED, purse=purse
    )
    assert isinstance(heard.ended, ended)
    assert purse.spent == pytest.approx(0.25 * len(server.sent))
    assert purse.spent == pytest.approx(
        sum(response.cost_usd or 0.0 for response in heard.responses.values())
    )
