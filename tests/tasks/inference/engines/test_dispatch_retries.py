"""The dispatcher after failures: what it retries, when, and how many calls a server can bear."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tasks.core.rows import Response
from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.failures import Failure, Refused
from tasks.inference.operation import Call
from tasks.models.gpu_memory import CHAT_TOKENS
from tests.played import (
    MODEL,
    Heard,
    Played,
    all_ok,
    dispatched,
    failing,
    groups_of,
    primed,
    rate_limited,
    server_error,
    well,
)

# --- trying again ----------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [rate_limited, server_error], ids=["429", "500"])
def test_what_may_pass_is_tried_again_and_attempts_are_counted(
    failure: Callable[[], Failure],
) -> None:
    server = Played(behaves=failing(failure, times=3, match="Question 1?"))
    heard = dispatched(groups_of([3] * 5), [server])
    assert all_ok(heard, 15)
    attempts = {prompt: response.attempts for prompt, response in heard.responses.items()}
    assert attempts == dict(server.n_sent)
    assert {n for prompt, n in attempts.items() if "Question 1?" in prompt} == {4}
    assert {response.latency_ms for response in heard.responses.values()} == {
        1_000.0
    }  # of the attempt that succeeded


def test_after_the_last_attempt_a_failure_is_a_row() -> None:
    server = Played(behaves=failing(server_error, match="Document 2. Question 1?"))
    heard = dispatched(groups_of([3] * 5), [server], Limits(attempts=4))
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=14, error=1)
    response = heard.responses["Document 2. Question 1?"]
    assert (response.error_type, response.error, response.attempts) == (
        "server_error",
        "HTTP 500: oops",
        4,
    )
    assert (response.text, response.cost_usd, response.latency_ms) == (None, None, None)
    assert server.n_sent["Document 2. Question 1?"] == 4


@pytest.mark.parametrize(
    "error_type", ["context_overflow", "content_filter", "bad_request", "prompt_truncated"]
)
def test_what_cannot_succeed_is_sent_once(error_type: str) -> None:
    server = Played(behaves=failing(lambda: Refused(error_type, "never"), match="Question 0?"))
    heard = dispatched(groups_of([3] * 5), [server])
    assert heard.ended is None
    assert heard.statuses() == Counter(ok=10, error=5)
    assert set(server.n_sent.values()) == {1}
    refused = heard.responses["Document 0. Question 0?"]
    assert (refused.error_type, refused.error, refused.attempts) == (error_type, "never", 1)


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


def test_the_servers_own_wish_is_heeded() -> None:
    at: list[float] = []

    def behave(call: Call, attempt: int) -> str | Failure:
        at.append(asyncio.get_running_loop().time())
        return rate_limited(retry_after_s=40.0) if attempt == 1 else well(call, attempt)

    heard = dispatched(groups_of([1]), [Played(behaves=behave)])
    assert all_ok(heard, 1)
    assert 41.0 <= at[1] - at[0] <= 46.0


def test_a_server_that_asks_for_a_day_is_not_waited_for() -> None:
    heard = dispatched(groups_of([1]), [Played(behaves=failing(lambda: rate_limited(86_400.0)))])
    assert heard.took_s < 3_600
    assert heard.ended is not None or heard.statuses() == Counter(error=1)


def test_rate_limits_that_others_pass_use_up_attempts_four_times_slower() -> None:
    server = Played(behaves=failing(rate_limited, times=12, match="Document 0."))
    limits = Limits(in_flight=2, attempts=4, longest_wait_s=5.0)
    heard = dispatched(groups_of([1] * 300), [server], limits)
    assert all_ok(heard, 300)
    assert heard.responses["Document 0. Question 0?"].attempts == 13
    alone = dispatched(groups_of([1]), [Played(behaves=failing(rate_limited))], limits)
    assert alone.responses["Document 0. Question 0?"].attempts == 4


def test_a_call_that_waits_for_its_next_attempt_holds_no_slot() -> None:
    server = Played(
        behaves=failing(lambda: rate_limited(retry_after_s=100.0), times=1, match="Question 0?")
    )
    heard = dispatched(groups_of([1, 30]), [server], Limits(in_flight=2))
    assert all_ok(heard, 31)
    assert heard.settled.index("Document 0. Question 0?") >= 29
    assert heard.took_s < 125


def test_an_empty_answer_is_asked_for_once_more_then_kept() -> None:
    def behave(call: Call, attempt: int) -> str:
        return "" if "Question 0?" in call.prompt or attempt == 1 else "At last."

    server = Played(behaves=behave, cost_usd=0.5)
    heard = dispatched(groups_of([2]), [server])
    mute, late = (heard.responses[f"Document 0. Question {number}?"] for number in (0, 1))
    assert (mute.status, mute.text, mute.attempts) == ("ok", "", 2)
    assert (late.status, late.text, late.attempts) == ("ok", "At last.", 2)
    assert mute.cost_usd == late.cost_usd == 1.0  # both answers were paid for


def test_an_empty_answer_to_the_last_attempt_is_kept() -> None:
    heard = dispatched(
        groups_of([1]), [Played(behaves=lambda call, attempt: "")], Limits(attempts=1)
    )
    assert all_ok(heard, 1)


def test_a_primers_answer_may_be_empty() -> None:
    server = Played(behaves=lambda call, attempt: "" if call.is_primer else "Yes.")
    heard = dispatched([primed(group, 2) for group in groups_of([2])], [server])
    assert heard.ended is None
    assert set(server.n_sent.values()) == {1}


def test_a_reply_that_never_comes_is_given_up_and_asked_for_again() -> None:
    def behave(call: Call, attempt: int) -> str | None:
        return None if attempt == 1 and "Question 0?" in call.prompt else well(call, attempt)

    server = Played(behaves=behave)
    heard = dispatched(groups_of([3] * 4), [server], Limits(timeout_s=60.0))
    assert all_ok(heard, 12)
    assert heard.responses["Document 0. Question 0?"].attempts == 2
    assert heard.took_s < 70


def test_a_reply_that_never_comes_ends_as_a_row() -> None:
    def behave(call: Call, attempt: int) -> str | None:
        return None if "Document 0." in call.prompt else well(call, attempt)

    heard = dispatched(
        groups_of([1, 40]), [Played(behaves=behave)], Limits(in_flight=2, timeout_s=5.0, attempts=2)
    )
    assert heard.ended is None
    response = heard.responses["Document 0. Question 0?"]
    assert (response.error_type, response.error) == ("timeout", "no answer in 5 s")


# --- how much a server bears -----------------------------------------------------------------


def test_a_server_that_slows_tenfold_fails_nothing_and_is_asked_nothing_twice() -> None:
    slow = {"now": False}
    server = Played()

    async def send(call: Call, heard: Callable[[], None]) -> Response:
        server.latency_s = 10.0 if slow["now"] else 1.0
        return await Played.send(server, call, heard)

    server.send = send  # type: ignore[method-assign]

    def change(heard: Heard) -> None:
        slow["now"] = 100 <= len(heard.settled) < 200

    heard = dispatched(groups_of([5] * 60), [server], Limits(in_flight=10), meanwhile=change)
    assert all_ok(heard, 300)
    assert set(server.n_sent.values()) == {1}
    assert heard.took_s < 10 + 120 + 20


def limited_server(bears: int, until_s: float = 1e9) -> Played:
    """Refuses whatever is more than so many at once, up to a moment."""
    server = Played()

    def behave(call: Call, attempt: int) -> str | Failure:
        start = getattr(server, "start", None)
        now = asyncio.get_running_loop().time()
        if start is None:
            server.start = start = now  # type: ignore[attr-defined]
        return (
            rate_limited()
            if len(server.answering) > bears and now - start < until_s
            else well(call, attempt)
        )

    server.behaves = behave
    return server


def test_concurrency_falls_to_what_the_server_bears() -> None:
    server = limited_server(bears=16)
    heard = dispatched(groups_of([4] * 250), [server], Limits(in_flight=64))
    assert all_ok(heard, 1_000)
    most = [
        max(len(now) for now in server.together[start : start + 50])
        for start in range(300, 900, 50)
    ]
    assert all(14 <= each <= 32 for each in most)
    assert len(server.sent) < 1_500


def test_concurrency_climbs_back() -> None:
    server = limited_server(bears=8, until_s=20.0)
    heard = dispatched(groups_of([4] * 750), [server], Limits(in_flight=64))
    assert all_ok(heard, 3_000)
    assert max(len(now) for now in server.together[-300:]) == 64
    in_the_middle = [len(now) for now in server.together[200:260]]
    assert sum(in_the_middle) / len(in_the_middle) < 48


@pytest.mark.parametrize("in_flight", [4, 16, 64])
def test_one_refusal_in_a_hundred_costs_less_than_a_tenth(in_flight: int) -> None:
    groups = groups_of([1] * (in_flight * 30))

    def behave(call: Call, attempt: int) -> str | Failure:
        drawn = int(call.request.prompt_sha256[:8], 16) / 2**32
        return rate_limited() if attempt == 1 and drawn < 0.01 else well(call, attempt)

    clean = dispatched(groups, [Played(latency_s=0.5)], Limits(in_flight=in_flight))
    faulty = dispatched(
        groups, [Played(latency_s=0.5, behaves=behave)], Limits(in_flight=in_flight)
    )
    assert all_ok(faulty, len(groups))
    assert faulty.took_s <= 1.1 * clean.took_s + 1.0  # and a retry at the very end
