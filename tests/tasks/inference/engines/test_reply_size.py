"""Replies are bounded by what their calls asked for, and so is what is kept of them."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from tasks.core.budget import Purse
from tasks.core.progress import hearing
from tasks.core.rows import Response
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.engines.failures import Failure, Hopeless, Passing
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.openai_protocol import (
    most_bytes,
    most_prompt_tokens,
    read_completion,
)
from tasks.inference.images.images import Image
from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tests.calls import call_of, collect
from tests.servers.in_process import Handler, answering

KEY = "sk-test-0123456789"
ROW = Model(
    name="local", engine="openai", description="", base_url="http://x/v1", key_env="CHAT_KEY"
)
CALL = call_of("A document. ", "What?", ROW, max_tokens=2_048)
MOST = most_bytes(CALL, ROW)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_KEY", KEY)


def completion(text: str = "Yes.", finish_reason: str = "stop", **usage: Any) -> bytes:
    choice = {"message": {"content": text}, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def sent(reply: Callable[[], web.Response]) -> Response | Failure:
    """Return the outcome of one attempt."""

    async def handler(request: web.Request) -> web.Response:
        return reply()

    return sent_to(handler)


def sent_to(handler: Handler) -> Response | Failure:
    """Return the outcome of one attempt with a server that does this."""

    async def send() -> Response | Failure:
        async with answering(handler) as url:
            row = replace(ROW, base_url=url)
            async with open_session(row) as session:
                try:
                    return await HttpReplica(url, row, session).send(CALL)
                except Failure as failure:
                    return failure

    return asyncio.run(send())


def packed(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, headers={"Content-Encoding": "gzip"})


def test_the_longest_answer_that_was_asked_for_is_kept() -> None:
    text = "\N{SNOWMAN}" * (2_048 * 8)
    for body in (completion(text), gzip.compress(completion(text))):
        answer = sent(
            lambda body=body: packed(body) if body[0] == 0x1F else web.Response(body=body)  # type: ignore[misc]
        )
        assert isinstance(answer, Response)
        assert answer.text == text


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_reply_beyond_its_max_tokens_is_neither_kept_nor_held(is_packed: bool) -> None:
    bomb = gzip.compress(completion("word " * 10_000_000))
    n_written = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal n_written
        if is_packed:
            return packed(bomb)
        reply = web.StreamResponse()
        await reply.prepare(request)
        while n_written < 100 * MOST:
            await reply.write(b" " * 65_536)
            n_written += 65_536
        return reply

    tracemalloc.start()
    failure = sent_to(endless)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(failure, Passing)
    assert failure.error_type == "unreadable_reply"
    assert f"{MOST:,}" in failure.detail
    assert peak < 10 * MOST


def test_a_cut_or_broken_gzip_is_a_failure_that_may_pass() -> None:
    whole = gzip.compress(completion("a" * 1_000))
    for body in (whole[:-20], b"\x1f\x8b garbage"):
        assert isinstance(sent(lambda body=body: packed(body)), Passing)  # type: ignore[misc]


def test_an_error_page_of_any_length_is_read_in_part() -> None:
    failure = sent(lambda: packed(gzip.compress(b"no such model " * 5_000_000), 404))
    assert isinstance(failure, Hopeless)
    assert len(failure.detail) < 1_000


def test_what_a_server_says_beside_the_text_is_cut_and_without_the_key() -> None:
    said = f"{KEY} " + "x" * 10_000
    answer = sent(lambda: web.Response(body=completion(finish_reason=said)))
    assert isinstance(answer, Passing)  # an unknown end
    moved = sent(lambda: web.Response(status=301, headers={"Location": f"http://{said[:7_000]}"}))
    assert isinstance(moved, Hopeless)
    for text in (answer.detail, answer.reply.finish_reason, moved.detail):
        assert KEY not in text
        assert len(text) < 1_000


@pytest.mark.parametrize("count", [2**63, 2**65, 1e300, 9_000_000, 3_000])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
def test_counts_beyond_reason_are_dropped_with_a_note(count: float, name: str) -> None:
    usage: dict[str, Any] = {"prompt_tokens": 10, "completion_tokens": 3, name: count}
    notes: list[str] = []
    row = replace(ROW, price=Price(prompt=1.0, output=1.0))
    answer = read_completion(CALL, row, 200, {}, completion(**usage), KEY, notes.append)
    assert most_prompt_tokens(CALL, row) < 3_000
    assert answer.text == "Yes."
    assert (answer.n_prompt, answer.n_cached, answer.n_output) == (None, None, None)
    assert answer.cost_usd is None
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("usage", "n_thinking"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2_048 + 9}, 0),  # with its stop token
        ({"prompt_tokens": 10, "completion_tokens": 30_000}, 30_000),  # thoughts count
        ({"prompt_tokens": 800, "completion_tokens": 3}, 0),  # a gateway's own prompt
        ({"prompt_tokens": 16_000, "completion_tokens": 3}, 0),  # a byte each
        ({"prompt_tokens": 100_500, "completion_tokens": 3}, 0),  # images
    ],
)
def test_the_most_that_a_call_can_give_is_counted(usage: dict[str, int], n_thinking: int) -> None:
    row = replace(ROW, price=Price(prompt=1.0, output=1.0), thinking_tokens=n_thinking)
    is_long, n_images = usage["prompt_tokens"] == 16_000, usage["prompt_tokens"] // 50_000
    call = call_of("\N{SNOWMAN}\ud800" * 2_600 if is_long else "A document. ", "What?", row,
                   max_tokens=2_048)  # fmt: skip
    call = replace(call, images=(Image("", 255, bytes),) * n_images)
    notes: list[str] = []
    answer = read_completion(call, row, 200, {}, completion(**usage), KEY, notes.append)
    assert (answer.n_prompt, answer.n_output) == tuple(usage.values())
    assert notes == []


@pytest.mark.parametrize(("n_thought", "is_counted"), [(70_000, True), (9_000_000, False)])
def test_thoughts_that_a_server_counts_may_exceed_max_tokens(
    n_thought: int, is_counted: bool
) -> None:
    row = replace(ROW, price=Price(prompt=1.0, output=1.0))
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 40,
        "total_tokens": 50 + n_thought,
        "completion_tokens_details": {"reasoning_tokens": n_thought},
    }
    call = call_of("A document. ", "What?", row, max_tokens=256)
    notes: list[str] = []
    answer = read_completion(call, row, 200, {}, completion(**usage), KEY, notes.append)
    assert answer.n_output == (40 + n_thought if is_counted else None)
    assert (notes == []) == is_counted


def test_calls_with_dropped_counts_are_charged_the_most_and_told_once() -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=completion(prompt_tokens=2**63, completion_tokens=3))

    async def ask(purse: Purse) -> list[str]:
        told: list[str] = []
        async with answering(handler) as url:
            row = replace(ROW, base_url=url, price=Price(prompt=1.0, output=1.0))
            calls = [call_of("Counted.", f" {number}?", row) for number in range(5)]
            with hearing(told.append):
                await collect(Client(load_engine(row, {}), purse=purse, part=None), calls)
        return told

    purse = Purse(1.0)
    (told,) = asyncio.run(ask(purse))
    assert told.startswith("local: the server reports impossible counts of tokens")
    assert 0 < purse.spent < 1.0
