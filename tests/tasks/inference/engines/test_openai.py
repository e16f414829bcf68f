"""The engine for OpenAI-compatible servers: its connections, its key, its address."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
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
from tasks.inference.engines.failures import Failure
from tasks.inference.engines.openai import HttpReplica, open_session, proxy_for
from tasks.inference.operation import Call
from tasks.models.catalogue import Model, UnreachableModel
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


def test_each_step_has_an_event_loop_and_connections_of_its_own(server: Server) -> None:
    row = row_of(server.url)
    assert (
        unclosed_after(load_engine(row, {}), [call_of("Loop.", f" {n}?", row) for n in range(3)])
        == []
    )


# --- key and address -------------------------------------------------------------------------


def test_the_key_is_sent_and_is_no_part_of_what_is_known_of_the_model(server: Server) -> None:
    row = row_of(server.url)
    answers(load_engine(row, {}), [call_of("Key.", " What?", row)])
    assert server.last()["has_key"] is True
    assert KEY not in f"{row!r} {row.identity} {load_engine(row, {})!r}"
    keyless = replace(row, key_env=None)
    answers(load_engine(keyless, {}), [call_of("No key.", " What?", keyless)])
    assert server.last()["has_key"] is False


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

    with pytest.raises(RunFailed, match=r"redirects to .* base_url"):
        asyncio.run(ask())
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
        r"certificate verify failed: self.signed certificate.* Name .* SSL_CERT_FILE"
        if speaks_tls
        else r"(wrong version number|record layer failure)"
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


def test_groups_are_warmed_up_only_as_the_servers_cache_has_room_for_them(tmp_path: Path) -> None:
    with serving(delay_ms=20, cache_tokens=6_000) as server:  # three documents and their answers
        row = row_of(server.url)
        journal = ResponseCache(tmp_path / "journal.sqlite")
        client = Client(load_engine(row, {}), journal, primes=True)
        documents = [f"Document {number}. {LONG}" for number in range(12)]
        calls = [call for each in documents for call in group_of(each, 4, row)]
        assert min(each.n_cached or 0 for each in answers(client, calls)) > 1_000
