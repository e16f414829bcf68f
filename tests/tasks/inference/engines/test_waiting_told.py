"""The user hears at once that we wait for a server, how long, and when it answers again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tasks.core.progress import hearing
from tasks.inference.engines.circuit_breaker import GaveUp
from tasks.inference.operation import Call
from tests.played import Played, dispatched, failing, groups_of, rate_limited, well


@pytest.fixture
def told() -> Iterator[list[str]]:
    found: list[str] = []
    with hearing(found.append):
        yield found


def test_a_server_that_dies_and_returns_is_told_of_twice(told: list[str]) -> None:
    server = Played(name="http://host:8000/v1", poison="Question 1?", returns_s=20.0)
    dispatched(groups_of([2]), [server])
    assert told[:2] == [
        "http://host:8000/v1 does not answer (connection reset by peer). "
        "Waiting up to 60 s for it to come back",
        "http://host:8000/v1 answers again",
    ]


def test_a_server_that_never_answered_is_waited_for_less_and_its_address_doubted(
    told: list[str],
) -> None:
    server = Played(name="http://host:8000/v1", is_up=False)
    heard = dispatched(groups_of([2]), [server])
    assert told == [
        "http://host:8000/v1 does not answer (connection refused). "
        "Waiting up to 5 s for it to come back"
    ]
    assert isinstance(heard.ended, GaveUp)
    assert "Start it or correct its address, then run the same command again" in str(heard.ended)


def test_a_long_wait_that_a_server_asks_for_is_told_once_with_its_end(told: list[str]) -> None:
    limited = failing(lambda: rate_limited(retry_after_s=3_000.0), times=1)
    heard = dispatched(groups_of([8]), [Played(behaves=limited)])
    assert heard.ended is None
    (sentence,) = [each for each in told if "asks to wait" in each]
    assert re.search(r"^played: .* until \d\d:\d\d:\d\d, for 3,000 s \(HTTP 429", sentence)


def test_short_waits_are_not_told(told: list[str]) -> None:
    limited = failing(lambda: rate_limited(retry_after_s=7.0), times=2)
    dispatched(groups_of([8]), [Played(behaves=limited)])
    assert told == []


def test_a_call_that_hangs_beside_others_is_told_after_a_minute(told: list[str]) -> None:
    def hangs(call: Call, attempt: int) -> str | None:
        return None if attempt == 1 and "Question 3?" in call.prompt else well(call, attempt)

    dispatched(groups_of([8]), [Played(behaves=hangs)])
    assert told == [
        "played has not answered 1 of 1 calls for 60 s. Each is given up after 600 s and sent again"
    ]


def test_a_slow_server_is_told_of_once(told: list[str]) -> None:
    dispatched(groups_of([300]), [Played(latency_s=90.0)])
    assert len(told) == 1
