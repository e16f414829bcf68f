"""The dispatcher after failures: what it retries, when, and how many calls a server can bear."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

import pytest

from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.failures import Failure
from tasks.inference.operation import Call
from tasks.models.windows import CHAT_TOKENS
from tests.played import (
    MODEL,
    Played,
    all_ok,
    dispatched,
    failing,
    groups_of,
    rate_limited,
    server_error,
    well,
)

# --- trying again ----------------------------------------------------------------------------


def test_a_prompt_longer_than_the_window_is_never_sent() -> None:
    model = replace(MODEL, window=40 + CHAT_TOKENS, token_ratio=2.0)
    server = Played()
    groups = groups_of([2], model) + groups_of([0, 1], model, max_tokens=30)
    heard = dispatched(groups, [server], model=model)
    assert len(server.sent) == 2 == heard.statuses()["ok"]
    response = next(one for one in heard.responses.values() if one.status == "error")
    assert (response.error_type, response.attempts) == ("context_overflow", 0)
    assert f"do not fit the window of {model.window}" in (response.error or "")


def test_waits_are_drawn_from_all_of_the_time_up_to_their_bound() -> None:
    at: dict[str, list[float]] = {}

    def behave(call: Call, attempt: int) -> str | Failure:
        at.setdefault(call.prompt, []).append(asyncio.get_running_loop().time())
        return server_error() if attempt <= 5 else well(call, attempt)

    many = Limits(in_flight=300, hopeless_after=1_000)
    heard = dispatched(groups_of([1] * 300), [Played(behaves=behave, latency_s=0.001)], many)
    assert all_ok(heard, 300)
    for attempt in range(5):
        waits = sorted(times[attempt + 1] - times[attempt] for times in at.values())
        bound = waits[-1]
        assert waits[30] < 0.2 * bound  # full jitter: short waits are as likely as long ones
        assert waits[150] == pytest.approx(bound / 2, rel=0.3)
    longest = [max(times[n + 1] - times[n] for times in at.values()) for n in range(5)]
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(longest))


def test_rate_limits_use_up_attempts_four_times_slower() -> None:
    server = Played(behaves=failing(rate_limited, match="Document 0."))
    limits = Limits(in_flight=2, attempts=4, longest_wait_s=5.0)
    heard = dispatched(groups_of([1] * 300), [server], limits)
    assert heard.statuses() == {"ok": 299, "error": 1}
    assert heard.responses["Document 0. Question 0?"].attempts == 16


def test_a_call_that_waits_for_its_next_attempt_holds_no_slot() -> None:
    server = Played(
        behaves=failing(lambda: rate_limited(retry_after_s=100.0), times=1, match="Question 0?")
    )
    heard = dispatched(groups_of([1, 30]), [server], Limits(in_flight=2))
    assert all_ok(heard, 31)
    assert heard.settled.index("Document 0. Question 0?") >= 29
    assert heard.took_s < 125
