"""The user hears at once that we wait for a server, how long, and when it answers again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tasks.core.progress import hearing
from tasks.inference.engines.failures import REMEDY, Failure, GaveUp, Passing
from tasks.inference.engines.openai_protocol import cut_reply, too_long
from tasks.inference.operation import Call
from tests.calls import call_of
from tests.played import (
    MODEL,
    Limits,
    Played,
    all_ok,
    dispatched,
    failing,
    groups_of,
    rate_limited,
    server_error,
    well,
)

CALL = call_of("A document. ", "What?", MODEL, max_tokens=100)


@pytest.fixture
def told() -> Iterator[list[str]]:
    found: list[str] = []
    with hearing(found.append):
        yield found


def test_a_server_that_dies_and_returns_is_told_of_twice(told: list[str]) -> None:
    server = Played(name="http://host:8000/v1", poison="Question 1?", returns_s=20.0)
    dispatched(groups_of([2]), [server])
    assert told[:2] == [
        "http://host:8000/v1 does not answer (connection reset by peer). Waiting up to 60 s for it",
        "http://host:8000/v1 answers again",
    ]


def test_a_wait_beyond_the_patience_ends_the_run_at_once_with_its_end() -> None:
    limited = failing(lambda: rate_limited(retry_after_s=3_000.0), times=1)
    heard = dispatched(groups_of([8]), [Played(behaves=limited)])
    assert isinstance(heard.ended, GaveUp)
    assert heard.took_s < 15
    assert re.search(
        r"asks us to wait until [\d-]{10} [\d:]{8}, for 3,000 s \(HTTP 429: too many\), and we "
        r"wait at most 300 s\. Run the same command again then, or now with --patience 3000",
        str(heard.ended),
    )


@pytest.mark.parametrize("failure", [server_error, cut_reply, lambda: too_long(CALL, MODEL)])
@pytest.mark.parametrize("n_calls", [8, 79])
def test_a_server_that_fails_every_call_is_told_while_we_wait_and_when_it_answers(
    told: list[str], failure: Callable[[], Failure], n_calls: int
) -> None:
    def fails_for_25_s(call: Call, attempt: int) -> str | Failure | None:
        return failure() if asyncio.get_running_loop().time() < 1_025 else well(call, attempt)

    class Unwell(Played):
        async def is_alive(self) -> bool:
            return asyncio.get_running_loop().time() >= 1_025

    limits = Limits(attempts=1_000)
    heard = dispatched(groups_of([n_calls]), [Unwell(behaves=fails_for_25_s)], limits)
    assert all_ok(heard, n_calls)
    failing_told, answers_told = told
    failed = failure()
    assert isinstance(failed, Passing)
    assert failing_told.startswith("played answers no call: ")
    last = f"{failed.error_type}), the last with '{failed.detail}'. {REMEDY}"
    assert failing_told.endswith(last)
    assert answers_told == "played answers again"


def test_the_time_out_follows_the_tokens_of_prompt_and_answer() -> None:
    def hangs(call: Call, attempt: int) -> str | None:
        return None if attempt == 1 else well(call, attempt)

    def took_s(n_answer: int, token_ratio: float = 1.0) -> float:
        row = replace(MODEL, token_ratio=token_ratio)
        groups = groups_of([1], max_tokens=n_answer)
        return dispatched(groups, [Played(behaves=hangs)], model=row).took_s

    assert 120 <= took_s(200) <= 130
    assert 500 <= took_s(4_000) <= 510
    assert 190 <= took_s(200, token_ratio=1_000.0) <= 230
