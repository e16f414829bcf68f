"""The user hears at once that we wait for a server, how long, and when it answers again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tasks.core.progress import hearing
from tasks.inference.engines.circuit_breaker import GaveUp
from tests.played import Played, dispatched, groups_of


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
        "Waiting up to 10 s for it to come back"
    ]
    assert isinstance(heard.ended, GaveUp)
    assert "Start it or correct its address, then run the same command again" in str(heard.ended)
