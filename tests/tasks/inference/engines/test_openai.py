"""The engine for OpenAI-compatible servers: its connections, its key, its address."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.failures import Failure, Lost, Passing
from tasks.inference.engines.openai import HttpReplica, open_session, proxy_for
from tasks.inference.operation import Call, grouped
from tasks.models.catalogue import Model, UnreachableModel
from tasks.models.prices import Price
from tests.calls import LONG, answers, call_of, collect, group_of, unclosed_after
from tests.servers.in_process import answering
from tests.servers.serving import Server, serving

KEY_ENV = "TENKBENCH_TEST_KEY"
KEY = "sk-test-0123456789"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(log=tmp_path_factory.mktemp("chat") / "log.jsonl", delay_ms=10) as running:
        yield running


@pytest.fixture(autouse=True)
def ready(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)
    server.set_faults([])


def row_of(url: str | None, **changes: Any) -> Model:
    row = Model(
        name="local",
        engine="openai",
        description="",
        base_url=url,
        key_env=KEY_ENV,
        timeout_s=120.0,
    )
    return replace(row, **changes)


def good(request: web.Request) -> web.Response:
    return web.json_response(
        {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
    )


# --- what comes back -------------------------------------------------------------------------


def test_an_answer_has_its_text_its_tokens_and_those_from_the_cache(server: Server) -> None:
    row = row_of(server.url)
    first, second = answers(
        load_engine(row, {}),
        [*group_of("Answers. " + LONG, 1, row), call_of("Answers. " + LONG, " Other?", row)],
    )  # fmt: skip
    for response in (first, second):
        assert (response.status, response.engine, response.finish_reason) == (
            "ok",
            "openai",
            "stop",
        )
        assert response.text is not None
        assert response.text.startswith("The answer is ")
        assert response.latency_ms is not None
        assert response.latency_ms >= 10
        assert (response.attempts, response.cost_usd) == (1, None)
    again = answers(load_engine(row, {}), group_of("Answers. " + LONG, 1, row))[0]
    assert (again.n_cached or 0) > 1_500


def test_each_step_has_an_event_loop_and_connections_of_its_own(server: Server) -> None:
    row = row_of(server.url)
    assert (
        unclosed_after(load_engine(row, {}), [call_of("Loop.", f" {n}?", row) for n in range(3)])
        == []
    )


def test_connections_are_used_again_and_are_no_more_than_slots() -> None:
    peers: set[Any] = set()

    async def handler(request: web.Request) -> web.Response:
        assert request.transport is not None
        peers.add(request.transport.get_extra_info("peername"))
        await asyncio.sleep(0.005)
        return good(request)

    async def ask() -> None:
        async with answering(handler) as url:
            row = row_of(url, in_flight=4)
            calls = [call_of("Connections.", f" {number}?", row) for number in range(60)]
            found = await collect(load_engine(row, {}), calls)
            assert len(found) == 60

    asyncio.run(ask())
    assert len(peers) <= 4


def test_a_prompt_of_megabytes_is_sent_whole_and_without_a_warning() -> None:
    lengths: list[int] = []

    async def handler(request: web.Request) -> web.Response:
        body = await request.json()
        lengths.append(len(body["messages"][0]["content"]))
        return good(request)

    async def ask() -> None:
        async with answering(handler) as url:
            row = row_of(url)
            (response,) = (
                await collect(load_engine(row, {}), [call_of("x " * 2_000_000, "?", row)])
            ).values()
            assert response.status == "ok"

    asyncio.run(ask())
    assert lengths == [4_000_001]


# --- key and address -------------------------------------------------------------------------


def test_the_key_is_sent_and_is_no_part_of_what_is_known_of_the_model(server: Server) -> None:
    row = row_of(server.url)
    answers(load_engine(row, {}), [call_of("Key.", " What?", row)])
    assert server.last()["has_key"] is True
    assert KEY not in f"{row!r} {row.identity} {load_engine(row, {})!r}"
    keyless = replace(row, key_env=None)
    answers(load_engine(keyless, {}), [call_of("No key.", " What?", keyless)])
    assert server.last()["has_key"] is False


@pytest.mark.parametrize("written", [f"{KEY}\n", f"  {KEY}\r\n"])
def test_a_key_from_a_file_may_have_its_lines_end(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_ENV, written)
    sent: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        sent.append(request.headers["Authorization"])
        return good(request)

    async def ask() -> None:
        async with answering(handler) as url:
            await collect(load_engine(row_of(url), {}), [call_of("Key.", " What?", row_of(url))])

    asyncio.run(ask())
    assert sent == [f"Bearer {KEY}"]


@pytest.mark.parametrize("wrong", ["sk-one\nsk-two", "sk-\u2013dash", "sk-\x07"])
def test_what_is_no_key_is_refused_before_anything_is_sent(
    wrong: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_ENV, wrong)
    before = server.stats()["received"]
    row = row_of(server.url)
    with pytest.raises(UnreachableModel, match=KEY_ENV) as refused:
        answers(load_engine(row, {}), [call_of("Wrong.", " What?", row)])
    assert wrong not in str(refused.value)
    assert server.stats()["received"] == before


def test_a_missing_key_or_address_is_said_before_anything_is_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = server.stats()["received"]
    nowhere = row_of(None)
    with pytest.raises(UnreachableModel, match="base_url"):
        answers(load_engine(nowhere, {}), [call_of("Nowhere.", " What?", nowhere)])
    monkeypatch.delenv(KEY_ENV)
    row = row_of(server.url)
    with pytest.raises(UnreachableModel, match=KEY_ENV):
        answers(load_engine(row, {}), [call_of("Keyless.", " What?", row)])
    assert server.stats()["received"] == before


def test_a_key_does_not_follow_a_redirect() -> None:
    strangers: list[str] = []

    async def stranger(request: web.Request) -> web.Response:
        strangers.append(str(request.headers))
        return good(request)

    async def ask() -> None:
        async with answering(stranger) as elsewhere:

            async def redirect(request: web.Request) -> web.Response:
                raise web.HTTPTemporaryRedirect(f"{elsewhere}/chat/completions")

            async with answering(redirect) as url:
                await collect(
                    load_engine(row_of(url), {}), [call_of("Redirect.", " What?", row_of(url))]
                )

    with pytest.raises(RunFailed, match=r"redirects to .* as base_url"):
        asyncio.run(ask())
    assert strangers == []


def test_a_look_at_whether_a_server_lives_follows_no_redirect() -> None:
    strangers: list[str] = []

    async def stranger(request: web.Request) -> web.Response:
        strangers.append(str(request.headers))
        return good(request)

    async def ask() -> bool:
        async with answering(stranger, "/v1/models") as elsewhere:

            async def redirect(request: web.Request) -> web.Response:
                raise web.HTTPTemporaryRedirect(f"{elsewhere}/models")

            async with answering(redirect, "/v1/models") as url:
                row = row_of(url)
                async with open_session(row) as session:
                    return await HttpReplica(url, row, session).is_alive()

    assert asyncio.run(ask()) is True
    assert strangers == []


@pytest.mark.parametrize("speaks_tls", [True, False])
def test_what_is_wrong_with_tls_is_said(
    speaks_tls: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(arrival_s=0.3)
    monkeypatch.setattr(Limits, "of", classmethod(lambda cls, model, **options: limits))
    options = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -keyout key -out cert"
    subprocess.run(["openssl", *options.split()], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")

    async def ask() -> None:
        runner = web.AppRunner(web.Application())
        await runner.setup()
        given = context if speaks_tls else None
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=given).start()
        try:
            row = row_of(f"https://127.0.0.1:{runner.addresses[0][1]}/v1")
            await collect(load_engine(row, {}), [call_of("TLS.", " What?", row)])
        finally:
            await runner.cleanup()

    says = (
        r"certificate is not trusted \(self.signed certificate\)\. Name .* SSL_CERT_FILE"
        if speaks_tls
        else r"TLS failed \((wrong version number|record layer failure)\)"
    )
    with pytest.raises(RunFailed, match=says) as failed:
        asyncio.run(ask())
    assert "not permitted" not in str(failed.value)


def test_a_server_that_wants_max_completion_tokens_is_sent_it_from_then_on() -> None:
    sent: list[dict[str, Any]] = []

    async def newer(request: web.Request) -> web.Response:
        sent.append(await request.json())
        if "max_tokens" not in sent[-1]:
            return good(request)
        said = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead."
        )
        return web.json_response({"error": {"message": said, "param": "max_tokens"}}, status=400)

    async def ask() -> None:
        async with answering(newer) as url:
            row = row_of(url, in_flight=4)
            engine = load_engine(row, {})
            for about in ("First", "Second"):
                calls = [call_of(f"{about}.", f" {n}?", row, max_tokens=77) for n in range(8)]
                found = (await collect(engine, calls)).values()
                assert {(one.status, one.attempts) for one in found} == {("ok", 1)}

    asyncio.run(ask())
    refused = [body for body in sent if "max_tokens" in body]
    assert len(sent) == 16 + len(refused)
    assert len(refused) <= 4  # the calls in flight at first; a second operation asks rightly
    assert {body.get("max_completion_tokens") for body in sent if body not in refused} == {77}


def test_a_prompt_that_is_too_long_is_no_wish_for_another_name() -> None:
    n_sent: list[int] = []

    async def narrow(request: web.Request) -> web.Response:
        n_sent.append(1)
        said = "'max_tokens' or 'max_completion_tokens' is too large: maximum context length is 8."
        return web.json_response({"error": {"message": said}}, status=400)

    async def ask() -> None:
        async with answering(narrow) as url:
            row = row_of(url)
            found = await collect(load_engine(row, {}), [call_of("Long.", " What?", row)])
            assert {one.error_type for one in found.values()} == {"context_overflow"}

    asyncio.run(ask())
    assert len(n_sent) == 1


@pytest.mark.parametrize("engine", ["openai", "litellm"])
@pytest.mark.parametrize(
    "choice",
    [{"finish_reason": "abort"}, {"finish_reason": "error", "error": {"message": "upstream"}}],
    ids=["abort", "error"],
)
def test_a_reply_that_is_broken_off_is_asked_for_again(engine: str, choice: dict[str, Any]) -> None:
    n_sent = Counter[str]()

    async def breaking(request: web.Request) -> web.Response:
        prompt = str((await request.json())["messages"][-1]["content"])
        n_sent[prompt] += 1
        if n_sent[prompt] > 2:
            return good(request)
        return web.json_response(
            {"choices": [{"index": 0, "message": {"role": "assistant", "content": "The"}} | choice]}
        )

    async def ask() -> None:
        async with answering(breaking) as url:
            row = row_of(url, engine=engine, served_as="openai/local")
            calls = [call_of("Broken off.", f" {n}?", row) for n in range(3)]
            found = (await collect(load_engine(row, {}), calls)).values()
            assert {(one.status, one.text, one.attempts) for one in found} == {("ok", "Yes.", 3)}

    asyncio.run(ask())


def test_a_server_that_is_not_there_is_named_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        Limits, "of", classmethod(lambda cls, model, **options: Limits(arrival_s=0.3))
    )
    with serving() as gone:
        url = gone.url
    row = row_of(url)
    refused = r"\(no connection to 127.0.0.1:\d+: Connection refused\)\. Start it or correct"
    with pytest.raises(RunFailed, match=refused) as failed:
        answers(load_engine(row, {}), [call_of("Nobody.", " What?", row)])
    assert url in str(failed.value)
    assert "\n" not in str(failed.value)


# --- proxies ---------------------------------------------------------------------------------


def test_a_proxy_is_used_where_the_environment_names_one_and_never_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "http_proxy", "https_proxy", "no_proxy", "all_proxy",
        "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    assert proxy_for("https://api.example.com/v1") is None
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example.com:3129")
    monkeypatch.setenv("no_proxy", "inside.example.com")
    assert proxy_for("https://api.example.com/v1") == "http://proxy.example.com:3128"
    assert proxy_for("http://api.example.com/v1") == "http://proxy.example.com:3129"
    for url in (
        "https://inside.example.com/v1", "http://127.0.0.1:8000/v1",
        "http://localhost:8000/v1", "http://[::1]:8000/v1",
    ):  # fmt: skip
        assert proxy_for(url) is None


def test_calls_go_through_the_proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(request.raw_path if "://" in request.raw_path else str(request.url))
        return good(request)

    async def ask() -> Response:
        async with answering(handler, "/{anything:.*}") as proxy:
            monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
            row = row_of("http://model.invalid/v1")
            (response,) = (
                await collect(load_engine(row, {}), [call_of("Proxy.", " What?", row)])
            ).values()
            return response

    assert asyncio.run(ask()).text == "Yes."
    assert asked == ["http://model.invalid/metrics", "http://model.invalid/v1/chat/completions"]


# --- one attempt -----------------------------------------------------------------------------


def sent(row: Model, call: Call) -> Response | Failure:
    """One attempt's outcome, without the dispatcher."""

    async def send() -> Response | Failure:
        async with open_session(row) as session:
            try:
                return await HttpReplica(row.base_url or "", row, session).send(call)
            except Failure as failure:
                return failure

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("kind", "failure", "error_type"),
    [
        ("reset", Lost, "connection"),
        ("cut", Lost, "cut_reply"),
        ("break", Passing, "server_error"),
        ("not_json", Passing, "unreadable_reply"),
        ("500", Passing, "server_error"),
        ("429", Passing, "rate_limited"),
    ],
)
def test_what_a_connection_meets_is_told_by_its_type(
    kind: str, failure: type[Failure], error_type: str, server: Server
) -> None:
    server.set_faults([{"kind": kind}])
    row = row_of(server.url)
    met = sent(row, call_of("Met.", f" {kind}?", row))
    assert type(met) is failure
    assert met.error_type == error_type
    assert "400" not in met.detail  # a status that no server sent, in aiohttp's own words
    assert KEY not in f"{met!r} {met.__cause__!r}"


def test_a_replica_says_whether_its_server_is_there() -> None:
    async def alive(url: str) -> bool:
        async with open_session(row_of(url)) as session:
            return await HttpReplica(url, row_of(url), session).is_alive()

    with serving() as mortal:
        assert asyncio.run(alive(mortal.url))
        mortal.kill()
        assert not asyncio.run(alive(mortal.url))
        mortal.start()
        assert asyncio.run(alive(mortal.url))


def test_a_server_behind_a_gateway_that_fails_is_not_there() -> None:
    async def broken(request: web.Request) -> web.Response:
        raise web.HTTPBadGateway

    async def main() -> bool:
        async with answering(broken, "/v1/models") as url, open_session(row_of(url)) as session:
            return await HttpReplica(url, row_of(url), session).is_alive()

    assert not asyncio.run(main())


def test_a_group_is_primed_only_by_the_ledger_and_led_where_a_price_is_paid(server: Server) -> None:
    row = row_of(server.url, price=Price(prompt=1.0, output=1.0))
    before = len(server.log())
    found = asyncio.run(collect(load_engine(row, {}), group_of("Led. " + LONG, 5, row)))
    assert {response.status for response in found.values()} == {"ok"}
    events = [event["event"] for event in server.log()[before:]]
    assert events[:3] == ["received", "answered", "received"]
    assert sum(response.cost_usd or 0.0 for response in found.values()) > 0
    assert len(grouped(group_of("Led. " + LONG, 5, row))) == 1


def test_groups_are_warmed_up_only_as_the_servers_cache_has_room_for_them(tmp_path: Path) -> None:
    with serving(delay_ms=20, cache_tokens=6_000) as server:  # three documents and their answers
        row = row_of(server.url)
        journal = ResponseCache(tmp_path / "journal.sqlite")
        client = Client(load_engine(row, {}), journal, primes=True)
        documents = [f"Document {number}. {LONG}" for number in range(12)]
        calls = [call for each in documents for call in group_of(each, 4, row)]
        assert min(each.n_cached or 0 for each in answers(client, calls)) > 1_000
