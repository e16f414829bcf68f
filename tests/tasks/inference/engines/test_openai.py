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
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.engines.dispatch import Limits
from tasks.inference.engines.openai import cache_tokens, proxy_for
from tasks.models.catalogue import Model, UnreachableModel
from tests.calls import LONG, answers, call_of, collect, group_of
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
    given: dict[str, Any] = {"base_url": url, "key_env": KEY_ENV, "timeout_s": 120.0}
    return Model(name="local", engine="openai", description="", **(given | changes))


def good(request: web.Request) -> web.Response:
    return web.json_response(
        {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
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
    monkeypatch.setattr(Limits, "of", classmethod(lambda cls, model, room=None: limits))
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


# --- a server's cache ------------------------------------------------------------------------

LABELS = 'block_size="16",cache_dtype="auto",{}num_gpu_blocks="{}",enable_prefix_caching="True"'


@pytest.mark.parametrize(
    ("labels", "tokens"),
    [
        (LABELS.format('kv_cache_size_tokens="120000",', 9), 120_000),
        (LABELS.format("", 10_000), 160_000),
        (LABELS.format("", None), None),
    ],
)
def test_the_cache_is_as_large_as_vllm_says(labels: str, tokens: int | None) -> None:
    """As vLLM 0.26 to 0.33 write it."""
    line = f"vllm:cache_config_info{{{labels}}} 1.0"
    metrics = f'# TYPE x gauge\n{line}\nvllm:num_requests_running{{engine="0"}} 0.0'
    assert cache_tokens(metrics) == tokens
    room = Limits.of(row_of(None, token_ratio=1.25), tokens).open_tokens
    assert room == (tokens and tokens * 0.8 / 1.25)


def test_groups_are_warmed_up_only_as_the_servers_cache_has_room_for_them(tmp_path: Path) -> None:
    with serving(delay_ms=20, cache_tokens=6_000) as server:  # three documents and their answers
        row = row_of(server.url)
        journal = ResponseCache(tmp_path / "journal.sqlite")
        client = Client(load_engine(row, {}), journal, primes=True)
        documents = [f"Document {number}. {LONG}" for number in range(12)]
        calls = [call for each in documents for call in group_of(each, 4, row)]
        assert min(each.n_cached or 0 for each in answers(client, calls)) > 1_000
