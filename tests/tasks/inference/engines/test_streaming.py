"""Streamed replies: tokens that arrive are life, and what breaks off is no answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from tasks.core.rows import Response
from tasks.inference.engines import load_engine, openai
from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.event_stream import EventStream
from tasks.inference.engines.failures import Failure, Lost, Passing
from tasks.inference.engines.openai_protocol import read_completion
from tasks.inference.operation import Call
from tasks.models.catalogue import Model
from tests.calls import answers, call_of
from tests.played import MODEL, Played, all_ok, dispatched, groups_of, well
from tests.servers.chat_server import complete, events_of
from tests.servers.serving import Server, serving

TEXT = 'Net sales were $4.2 million,\nup "7 %".\N{SNOWMAN} '


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(reply=TEXT) as running:
        yield running


def row_of(server: Server, **changes: Any) -> Model:
    return Model(
        name="local", engine="openai", description="", base_url=server.url, prime=False, **changes
    )


def read(call: Call, body: bytes) -> Response:
    return read_completion(call, MODEL, 200, {}, body)


# --- what a stream says ----------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 100, 100_000])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("max_tokens", [100, 3])
def test_a_stream_in_pieces_of_any_size_says_what_the_plain_reply_says(
    size: int, ends: bytes, max_tokens: int
) -> None:
    call = call_of("A document.", " What?", MODEL)
    reply = complete("local", TEXT, max_tokens, 400, 0)
    sent = b": a comment\n\n" + b"".join(events_of(reply, None)).replace(b"\n", ends)
    stream = EventStream()
    tokens = [stream.feed(sent[at : at + size]) for at in range(0, len(sent), size)]
    assert read(call, stream.completion()) == read(call, orjson.dumps(reply))
    assert any(tokens)
    assert size > 1 or not any(tokens[:200])  # neither comments nor roles are tokens


def test_thoughts_are_kept_apart_and_an_error_within_a_choice_breaks_it_off() -> None:
    call = call_of("A document.", " What?", MODEL)
    stream = EventStream()
    for delta in ({"reasoning": "Hm"}, {"reasoning_content": ",\n"}, {"content": "Yes."}):
        assert stream.feed(b"data: %b\n" % orjson.dumps({"choices": [{"delta": delta}]}))
    stream.feed(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n')
    response = read(call, stream.completion())
    assert (response.text, response.reasoning) == ("Yes.", "Hm,\n")
    error = {"delta": {}, "finish_reason": "error", "error": {"message": "busy", "code": 429}}
    stream.feed(b"data: %b\n" % orjson.dumps({"choices": [error]}))
    with pytest.raises(Passing, match="broken_off"):
        read(call, stream.completion())


@pytest.mark.parametrize(
    ("fault", "outcome", "n_sent"),
    [
        ({"kind": "cut"}, Lost, 1),
        ({"kind": "break"}, Passing, 1),
        ({"kind": "no_usage"}, None, 1),
        ({"kind": "no_done"}, None, 1),
        ({"kind": "unending"}, None, 1),
        ({"kind": "whole"}, None, 1),
        ({"kind": "no_stream"}, None, 2),
    ],
    ids=lambda value: str(value.get("kind")) if isinstance(value, dict) else "",
)
def test_what_a_stream_meets(
    fault: dict[str, Any], outcome: type[Failure] | None, n_sent: int, server: Server
) -> None:
    server.set_faults([fault])
    row, refused = row_of(server), set[str]()
    n_before = server.stats()["received"]

    async def send(question: str) -> Response | Failure:
        async with openai.open_session(row) as session:
            try:
                replica = openai.HttpReplica(row.base_url or "", row, session, refused)
                return await replica.send(call_of("Met.", question, row))
            except Failure as failure:
                return failure

    first, second = (asyncio.run(send(question)) for question in (" One?", " Two?"))
    if outcome is not None:
        assert (type(first), type(second)) == (outcome, outcome)
    else:
        assert isinstance(first, Response)
        assert isinstance(second, Response)
        assert (first.text, first.finish_reason) == (second.text, second.finish_reason)
        assert (first.text, first.finish_reason) == (TEXT, "stop")
        assert (first.n_output is None) == (fault["kind"] == "no_usage")
    assert server.stats()["received"] == n_before + n_sent + 1  # the second call knows better


def test_streams_that_do_not_count_tokens_are_not_asked_for_where_tokens_cost_money(
    server: Server,
) -> None:
    from tasks.models.prices import Price

    server.set_faults([{"kind": "no_usage"}])
    row = row_of(server, price=Price(prompt=1.0, output=1.0), in_flight=1)
    found = answers(load_engine(row, {}), [call_of("Paid.", f" {n}?", row) for n in range(3)])
    assert [response.n_output is None for response in found] == [True, False, False]


# --- slow is not dead ------------------------------------------------------------------------


def test_a_slow_stream_is_waited_for_and_a_stalled_one_is_asked_for_again(server: Server) -> None:
    row = row_of(server, timeout_s=1.0)
    server.set_faults([{"kind": "trickle", "pause_s": 0.25}])
    (slow,) = answers(load_engine(row, {}), [call_of("Slow.", " What?", row)])
    assert (slow.text, slow.attempts) == (TEXT, 1)
    assert slow.latency_ms is not None
    assert slow.first_token_ms is not None
    assert slow.latency_ms > 2_000 > 1_000 > slow.first_token_ms > 250
    server.set_faults([{"kind": "stall", "times": 1}])
    (stalled,) = answers(load_engine(row, {}), [call_of("Stalled.", " What?", row)])
    assert (stalled.text, stalled.attempts) == (TEXT, 2)


def test_tokens_restart_the_clock_and_their_end_does_not() -> None:
    slow = dispatched(groups_of([3]), [Played(silences_s=[90.0] * 20)])
    assert all_ok(slow, 3)
    assert {one.attempts for one in slow.responses.values()} == {1}

    def hangs(call: Call, attempt: int) -> str | None:
        return None if attempt == 1 else well(call, attempt)

    stalled = dispatched(groups_of([1]), [Played(silences_s=[90.0] * 2, behaves=hangs)])
    assert [one.attempts for one in stalled.responses.values()] == [2]


class Queueing(Played):
    """Answers one call after the other, and is too busy for some."""

    async def send(self, call: Call, heard: Callable[[], None]) -> Response:
        self.lock = getattr(self, "lock", None) or asyncio.Lock()
        async with self.lock:
            return await super().send(call, heard)


def test_calls_in_the_queue_of_a_slow_server_are_waited_for() -> None:
    server = Queueing(silences_s=[5.0] * 100)  # each answer takes 500 s, with a limit of 102 s
    heard = dispatched(groups_of([12]), [server], Limits(in_flight=8))
    assert all_ok(heard, 12)
    assert set(server.n_sent.values()) == {1}
