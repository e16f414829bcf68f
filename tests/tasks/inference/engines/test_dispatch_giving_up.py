"""The dispatcher ends a run early: a server that is gone or hopeless, and a request to stop."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest

from tasks.core.cancellation import Stopped, request_stop, withdraw_stop
from tasks.core.rows import Response
from tasks.inference.engines.dispatch import GaveUp, Limits
from tasks.inference.engines.failures import Failure, Hopeless
from tasks.inference.operation import Call, Group
from tests.played import (
    Heard,
    Played,
    all_ok,
    dispatched,
    failing,
    groups_of,
    rate_limited,
    server_error,
    well,
)


def test_a_hopeless_run_is_stopped_early_with_one_sentence() -> None:
    server = Played("http://broken", behaves=failing(server_error), latency_s=0.05)
    heard = dispatched(groups_of([1] * 5_000), [server], Limits(in_flight=16))
    assert isinstance(heard.ended, GaveUp)
    said = str(heard.ended)
    assert "server_error" in said
    assert "HTTP 500: oops" in said
    assert "Read the server's log" in said
    assert "Then run the same command again" in said
    assert "\n" not in said
    assert 60 <= heard.took_s <= 150
    assert len(server.sent) < 5_000


def test_a_server_that_said_when_it_will_answer_is_waited_for() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        left = 1_300.0 - asyncio.get_running_loop().time()
        return rate_limited(retry_after_s=left) if left > 0 else well(call, attempt)

    heard = dispatched(groups_of([1] * 60), [Played(behaves=behave)], Limits(in_flight=30))
    assert all_ok(heard, 60)


def test_what_is_hopeless_ends_the_run_at_once() -> None:
    server = Played(
        behaves=failing(
            lambda: Hopeless("played: the key is refused; set a valid one"), match="Document 3."
        )
    )
    heard = dispatched(groups_of([4] * 50), [server], Limits(in_flight=4))
    assert isinstance(heard.ended, GaveUp)
    assert str(heard.ended).startswith("played: the key is refused; set a valid one")
    assert len(server.sent) <= 4 * 4 + 4
    assert heard.took_s < 12


def test_answers_in_flight_are_kept_when_the_run_gives_up() -> None:
    def behave(call: Call, attempt: int) -> str | Failure:
        return Hopeless("over") if "Document 0." in call.prompt else well(call, attempt)

    class Uneven(Played):
        async def send(self, call: Call, heard: Callable[[], None]) -> Response:
            if "Document 0." not in call.prompt:
                await asyncio.sleep(5.0)
            return await super().send(call, heard)

    heard = dispatched(groups_of([1] * 30), [Uneven(behaves=behave)], Limits(in_flight=8))
    assert isinstance(heard.ended, GaveUp)
    assert heard.statuses() == Counter(ok=7)


def test_a_run_that_gives_up_does_not_wait_for_what_hangs() -> None:
    def behave(call: Call, attempt: int) -> str | Failure | None:
        return Hopeless("over") if "Document 0." in call.prompt else None

    heard = dispatched(
        groups_of([1] * 30), [Played(behaves=behave)], Limits(in_flight=8, grace_s=10.0)
    )
    assert isinstance(heard.ended, GaveUp)
    assert heard.took_s < 15


@pytest.mark.parametrize(
    ("n_calls", "in_flight", "hanging"),
    [
        (27, 64, {26}),
        (27, 1, {12, 13}),
        (40, 4, {3, 11, 20, 38, 39}),
        (400, 8, set(range(0, 400, 10))),
        (400, 64, set(range(360, 400))),
        (90, 64, set(range(1, 90, 3))),
    ],
    ids=lambda value: str(len(value) if isinstance(value, set) else value),
)
def test_prompts_that_always_hang_become_rows_and_the_run_goes_on(
    n_calls: int, in_flight: int, hanging: set[int]
) -> None:
    mute = {f"Document {number}. Question 0?" for number in hanging}

    def behave(call: Call, attempt: int) -> str | None:
        return None if call.prompt in mute else well(call, attempt)

    heard = dispatched(
        groups_of([1] * n_calls), [Played(behaves=behave)], Limits(in_flight=in_flight)
    )
    assert heard.ended is None
    late = {prompt for prompt, one in heard.responses.items() if one.error_type == "timeout"}
    assert late == mute
    assert heard.statuses() == Counter(ok=n_calls - len(mute), error=len(mute))
    assert {heard.responses[prompt].attempts for prompt in mute} == {3}
    # three time-outs each, in all slots at once: hanging prompts do not make the others wait
    assert heard.took_s < n_calls + 320 * (1 + len(mute) / in_flight)


@pytest.mark.parametrize("in_flight", [64, 16, 4])
def test_a_server_that_hangs_midway_ends_the_run(in_flight: int) -> None:
    answers: list[str] = []

    def behave(call: Call, attempt: int) -> str | None:
        answers.append(call.prompt)
        return well(call, attempt) if len(answers) <= 200 else None

    heard = dispatched(
        groups_of([1] * 1_000), [Played(behaves=behave)], Limits(in_flight=in_flight)
    )
    assert isinstance(heard.ended, GaveUp)
    assert re.search(r"\d+ x timeout\)", str(heard.ended))
    assert heard.statuses() == Counter(ok=200)
    assert heard.took_s < 200 / in_flight + 300


# --- a request to stop -----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def nobody_asks_to_stop() -> Iterator[None]:
    yield
    withdraw_stop()


def test_a_request_to_stop_sends_no_more_and_settles_what_is_in_flight() -> None:
    server = Played()

    def stop(heard: Heard) -> None:
        if len(heard.settled) == 24:
            request_stop()

    heard = dispatched(groups_of([4] * 50), [server], Limits(in_flight=8), meanwhile=stop)
    assert isinstance(heard.ended, Stopped)
    assert len(server.sent) == len(heard.settled)
    assert len(heard.settled) <= 24 + 8
    assert f"kept in this run: {len(heard.settled)}" in str(heard.ended)


def test_whoever_waits_for_another_attempt_heeds_a_request_to_stop() -> None:
    server = Played(behaves=failing(lambda: rate_limited(retry_after_s=300.0)))

    def stop_soon() -> Group:
        async def opened() -> Sequence[Call]:
            asyncio.get_running_loop().call_later(5.0, request_stop)
            return await groups_of([2])[0].open()

        return Group("first", "ask", 5, 2, opened)

    heard = dispatched([stop_soon()], [server])
    assert isinstance(heard.ended, Stopped)
    assert heard.took_s < 7
