"""Providers through LiteLLM: requests, answers, refusals and costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from tasks.core.budget import Purse
from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.engines.failures import Failure, Hopeless, Lost, Passing, Refused
from tasks.inference.engines.litellm import Provider
from tasks.inference.operation import Call
from tasks.models.catalogue import Model
from tests.calls import LONG, answers, call_of, collect, group_of
from tests.servers.in_process import answering
from tests.servers.serving import Server, serving

KEY_ENV = "TENKBENCH_TEST_KEY"
KEY = "sk-test-0123456789"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(log=tmp_path_factory.mktemp("chat") / "log.jsonl", delay_ms=20) as running:
        yield running


@pytest.fixture(autouse=True)
def ready(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)
    server.set_faults([])


def gpt(server: Server, **changes: Any) -> Model:
    row = {"served_as": "openai/gpt-4o-2024-08-06", "base_url": server.url, "timeout_s": 120.0}
    return played("gpt", row | changes)


def claude(url: str, **changes: Any) -> Model:
    return played("claude", {"served_as": "anthropic/claude-sonnet-4-5", "base_url": url} | changes)


def played(name: str, row: dict[str, Any]) -> Model:
    """A row of a model that the tests' server plays."""
    return Model(name=name, engine="litellm", description="", **({"key_env": KEY_ENV} | row))


# --- what comes back -------------------------------------------------------------------------


def test_an_answer_has_its_tokens_its_cached_tokens_and_the_dollars_of_the_cost_map(
    server: Server,
) -> None:
    row = gpt(server)
    calls = group_of("Answers. " + LONG, 2, row)
    first, second = (answers(load_engine(row, {}), [call])[0] for call in calls)
    assert (first.status, first.engine, first.engine_version) == ("ok", "litellm", "1.106.2")
    assert first.text is not None
    assert first.text.startswith("The answer is ")
    assert first.n_cached == 0
    assert second.n_cached is not None
    assert second.n_cached > 1_500
    for response in (first, second):
        assert response.n_prompt is not None
        assert response.n_cached is not None
        assert response.n_output is not None
        dollars = (
            (response.n_prompt - response.n_cached) * 2.5
            + response.n_cached * 1.25
            + response.n_output * 10
        )
        assert response.cost_usd == pytest.approx(dollars / 1e6)
        assert response.latency_ms is not None


# --- what is asked ---------------------------------------------------------------------------


def asked(row: Model, calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The arguments of the calls, as they would be if they were one group."""
    provider = Provider(row, {call.prefix.prefix_id for call in calls} if len(calls) > 1 else ())
    return [provider.asking(call) for call in calls]


def test_a_request_is_one_message_without_retries_of_litellms(server: Server) -> None:
    row = gpt(server, body={"seed": 17})
    (response,) = answers(load_engine(row, {}), [call_of("Asked.", " What?", row)])
    assert response.status == "ok"
    assert server.last() == {
        "body": {
            "messages": [{"role": "user", "content": "Asked. What?"}],
            "model": "gpt-4o-2024-08-06",
            "temperature": 0.0,
            "max_tokens": 16,
            "seed": 17,
        },
        "has_key": True,
    }


def test_a_schema_is_sent_to_models_that_can_hold_to_it(server: Server) -> None:
    knows, does_not = gpt(server), gpt(server, served_as="openai/local")
    made_to = replace(does_not, has_schema=True)
    for row, has_format in ((knows, True), (does_not, False), (made_to, True)):
        answers(load_engine(row, {}), [call_of("Schema.", " What?", row, schema=SCHEMA)])
        assert ("response_format" in server.last()["body"]) is has_format
    schema = server.last()["body"]["response_format"]["json_schema"]
    assert (schema["schema"], schema["strict"]) == (
        SCHEMA,
        True,
    )  # OpenAI holds no reply to one that is not strict


def test_claude_is_shown_which_prefix_to_keep() -> None:
    row = claude("http://127.0.0.1:1")
    first, second = asked(row, group_of(LONG, 2, row))
    prefix = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    assert first["messages"][0]["content"] == [prefix, {"type": "text", "text": " Question 0?"}]
    assert second["messages"][0]["content"] == [prefix, {"type": "text", "text": " Question 1?"}]
    (alone,) = asked(row, [call_of(LONG, " What?", row)])
    assert "cache_control" not in repr(alone)


# --- Anthropic's cache -----------------------------------------------------------------------


@asynccontextmanager
async def anthropic(bodies: list[dict[str, Any]]) -> AsyncIterator[str]:
    """Serve Anthropic's messages: cache marked prefixes and remember the requests."""
    kept: set[str] = set()

    async def messages(request: web.Request) -> web.Response:
        body = await request.json()
        bodies.append(body)
        marked = [
            block["text"] for block in body["messages"][0]["content"] if "cache_control" in block
        ]
        n_marked = len("".join(marked)) // 4
        n_rest = sum(len(block["text"]) for block in body["messages"][0]["content"]) // 4 - n_marked
        read = bool(marked) and marked[0] in kept
        await asyncio.sleep(0.05)  # what is being answered is not in the cache yet
        kept.update(marked)
        usage = {
            "input_tokens": n_rest,
            "output_tokens": 3,
            "cache_creation_input_tokens": 0 if read else n_marked,
            "cache_read_input_tokens": n_marked if read else 0,
        }
        return web.json_response(
            {
                "id": "message",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": "It rose."}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": usage,
            }
        )

    async with answering(messages, "/v1/messages") as url:
        yield url.removesuffix("/v1")


def of_claude(
    bodies: list[dict[str, Any]], cache: ResponseCache, **changes: Any
) -> tuple[list[Response], Purse]:
    """Seven questions to one document, put to Claude, and what they and their primer took."""

    async def ask() -> list[Response]:
        async with anthropic(bodies) as url:
            row = claude(url, **changes)
            calls = group_of(LONG, 7, row)
            client = Client(load_engine(row, {}), cache, purse=spent, primes=row.primes)
            found = await collect(client, calls)
            return [found[call.request.request_id] for call in calls]

    spent = Purse(None)
    return asyncio.run(ask()), spent


def test_a_group_of_seven_pays_claude_for_one_prefix_and_reads_it_seven_times(
    journal: ResponseCache,
) -> None:
    bodies: list[dict[str, Any]] = []
    responses, spent = of_claude(bodies, journal)
    n_prefix, n_rest = len(LONG) // 4, 3
    assert [response.text for response in responses] == ["It rose."] * 7
    assert [response.n_cached for response in responses] == [n_prefix] * 7
    assert {response.n_prompt for response in responses} == {n_prefix + n_rest}
    costs = [response.cost_usd or 0.0 for response in responses]
    own = 3 * n_rest + 15 * 3
    assert [cost * 1e6 for cost in costs] == pytest.approx([0.3 * n_prefix + own] * 7)
    assert all("cache_control" in body["messages"][0]["content"][0] for body in bodies)
    primer_usd = spent.spent - sum(costs)
    assert primer_usd == pytest.approx((3.75 * n_prefix + 15 * 3) / 1e6)
    # of the prefixes (1.25 + 7 x 0.1) / 7 = 0.279
    assert spent.spent / (7 * (3 * n_prefix + own) / 1e6) < 0.31


# --- what goes wrong -------------------------------------------------------------------------

FAULTS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"kind": "429"}, Passing, "rate_limited"),
    ({"kind": "500"}, Passing, "server_error"),
    ({"kind": "503"}, Passing, "server_error"),
    ({"kind": "reset"}, Lost, "connection"),
    ({"kind": "cut"}, Lost, "connection"),
    ({"kind": "hang"}, Passing, "timeout"),
    ({"kind": "not_json"}, Passing, "unreadable_reply"),
    ({"kind": "overflow"}, Refused, "context_overflow"),
    ({"kind": "content_filter"}, Refused, "content_filter"),
    ({"kind": "content_filter", "form": "finish_reason"}, Refused, "content_filter"),
    ({"kind": "bad_request"}, Refused, "bad_request"),
]


def failure_of(row: Model) -> Failure:
    async def send() -> None:
        await Provider(row).send(call_of("Fail.", " What?", row))

    with pytest.raises(Failure) as caught:
        asyncio.run(send())
    return caught.value


@pytest.mark.parametrize(
    ("rule", "kind", "error_type"), FAULTS, ids=[str(rule) for rule, *_ in FAULTS]
)
def test_a_fault_is_what_it_is_and_met_once(
    server: Server,
    capfd: pytest.CaptureFixture[str],
    rule: dict[str, Any],
    kind: type,
    error_type: str,
) -> None:
    server.set_faults([rule])
    before = server.stats()["received"]
    failure = failure_of(gpt(server, timeout_s=0.5 if rule["kind"] == "hang" else 120.0))
    assert type(failure) is kind
    assert failure.error_type == error_type
    assert server.stats()["received"] == before + 1
    assert capfd.readouterr() == ("", "")


def test_a_key_that_litellm_found_by_itself_is_not_quoted_either(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.set_faults([{"kind": "bad_request"}])
    row = gpt(server, key_env=None)
    provider = Provider(row)

    async def send() -> None:
        await provider.send(call_of("Found.", " What?", row))

    with pytest.raises(Refused):
        asyncio.run(send())
    assert server.last()["has_key"] is True
    failure = provider.failure_of(
        call_of("Found.", " What?", row), refusal(f"the key {KEY} is odd")
    )
    assert (failure.error_type, failure.detail) == ("bad_request", "HTTP 400: the key *** is odd")


def refusal(message: str) -> BaseException:
    """What LiteLLM raises where a provider refuses with this message."""
    import httpx
    import litellm

    request = httpx.Request("POST", "http://127.0.0.1")
    answer = httpx.Response(400, json={"error": {"message": message}}, request=request)
    error = litellm.BadRequestError(message, model="m", llm_provider="p")
    error.__cause__ = httpx.HTTPStatusError(message, request=request, response=answer)
    return error


@pytest.mark.parametrize("called", ["openai/local", "anthropic/claude-sonnet-4-5"])
def test_a_key_that_litellm_does_not_find_stops_the_run(
    server: Server, monkeypatch: pytest.MonkeyPatch, called: str
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    failure = failure_of(gpt(server, served_as=called, key_env=None))
    assert isinstance(failure, Hopeless)
    assert failure.detail.startswith("gpt: LiteLLM found no key")
