"""Replies are bounded by what their calls asked for, and so is what is kept of them."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from tasks.core.rows import Response
from tasks.inference.engines.failures import Failure, Hopeless, Passing
from tasks.inference.engines.openai import HttpReplica, open_session
from tasks.inference.engines.openai_protocol import most_bytes, read_completion
from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tests.calls import call_of
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


def sent(reply: Callable[[], web.Response]) -> Response | Failure:
    """Return the outcome of one attempt."""

    async def handler(request: web.Request) -> web.Response:
        return reply()

    return sent_to(handler)


def test_the_longest_answer_that_was_asked_for_is_kept() -> None:
    text = "\N{SNOWMAN}" * (2_048 * 8)
    answer = sent(lambda: web.Response(body=completion(text)))
    assert isinstance(answer, Response)
    assert answer.text == text


def test_a_reply_beyond_its_max_tokens_is_neither_kept_nor_held() -> None:
    n_written = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal n_written
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


def test_what_a_server_says_beside_the_text_is_cut_and_without_the_key() -> None:
    said = f"{KEY} " + "x" * 10_000
    answer = sent(lambda: web.Response(body=completion(finish_reason=said)))
    assert isinstance(answer, Passing)  # an unknown end
    moved = sent(lambda: web.Response(status=301, headers={"Location": f"http://{said[:7_000]}"}))
    assert isinstance(moved, Hopeless)
    for text in (answer.detail, answer.reply.finish_reason, moved.detail):
        assert KEY not in text
        assert len(text) < 1_000


@pytest.mark.parametrize("count", [2**63, 1e300, -1, True])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
def test_counts_beyond_reason_are_dropped(count: float, name: str) -> None:
    usage: dict[str, Any] = {"prompt_tokens": 10, "completion_tokens": 3, name: count}
    row = replace(ROW, price=Price(prompt=1.0, output=1.0))
    answer = read_completion(CALL, row, 200, {}, completion(**usage), KEY)
    assert answer.text == "Yes."
    assert (answer.n_prompt, answer.n_cached, answer.n_output) == (None, None, None)
    assert answer.cost_usd is None  # so the purse pays the most that the call can cost
