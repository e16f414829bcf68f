"""A planted key: sent to the server, and found nowhere else, whatever the server does with it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from aiohttp import web

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.inference.cache.response_cache import cache_of
from tasks.inference.engines.dispatch import Limits
from tasks.inference.operation import Call
from tasks.lake.lake import Lake
from tasks.lake.records import LakeStep, MadeBy
from tasks.models.catalogue import find_model
from tasks.pipeline.clients import client_of
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.steps import PlannedStep, write_calls
from tests.calls import call_of, collect, group_of
from tests.servers.in_process import answering
from tests.servers.serving import Server, serving

KEY_ENV = "TENKBENCH_PLANTED_KEY"
KEY = "sk-planted-8f3b0c6d1e7a4295"

# What is found of a key that was cut, or written in a table's own way, is found by its middle.
MARK = KEY[6:20].encode()

# A fault, and how often a prompt meets it.
PASSING = [
    {"kind": kind, "match": f"#{kind}#", "times": 1}
    for kind in ("429", "500", "503", "reset", "cut", "not_json", "empty")
]
FINAL = [
    {"kind": kind, "match": f"#{kind}#"} for kind in ("overflow", "content_filter", "bad_request")
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(params=["openai", "litellm"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each engine that has a key, with the key in the environment."""
    monkeypatch.setenv(KEY_ENV, KEY)
    return str(request.param)


class Heard:
    """All that a run has said: on the screen, in logs, in its lake."""

    def __init__(self, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
        self.capfd, self.caplog = capfd, caplog
        self.texts: list[str] = []

    def add_error(self, error: BaseException | None) -> None:
        """An error, and all that it came from, whether a traceback would show it or not."""
        while error is not None:
            self.texts += [repr(error), *traceback.format_exception(error)]
            error = error.__cause__ or error.__context__

    def everything(self, lake: Path) -> bytes:
        said = "".join(
            [
                *self.capfd.readouterr(),
                self.caplog.text,
                *map(str, self.caplog.records),
                *self.texts,
            ]
        )
        return said.encode() + b"".join(
            content_of(path) for path in lake.rglob("*") if path.is_file()
        )


def content_of(path: Path) -> bytes:
    """A file's bytes, and what it says where they are compressed or in pages."""
    content = str(path).encode() + path.read_bytes()
    if path.suffix == ".parquet":
        content += (
            str(pq.read_table(path).to_pylist()).encode()
            + str(pq.read_schema(path).metadata).encode()
        )
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(path)) as database:
            content += "".join(database.iterdump()).encode()
    return content


@pytest.fixture
def heard(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Heard:
    """What is said from here on; loggers that would say more say all that they have."""
    caplog.set_level(logging.DEBUG)
    return Heard(capfd, caplog)


def settings(folder: Path, engine: str, url: str) -> RunSettings:
    models = folder / "models.toml"
    models.write_text(
        f"""
        [models.guarded]
        engine = "{engine}"
        description = "has a key"
        served_as = "openai/local"
        base_url = "{url}"
        key_env = "{KEY_ENV}"
        price = {{ prompt = 1.0, output = 1.0 }}
        """
    )
    return RunSettings(lake=str(folder / "lake"), models_file=str(models), model=("guarded",))


async def asked(run: RunSettings, calls: list[Call]) -> dict[str, Response]:
    """Have calls answered through the ledger, and write their rows."""
    recorded = client_of(resolve(run), "guarded")
    responses = await collect(recorded, calls)
    lake = Lake(run.lake)
    identity = find_model("guarded", run.models_file).identity
    planned = PlannedStep(lake, LakeStep("dev", "guarded"), {"model": identity}, MadeBy(), ())
    lake.make()
    planned.commit(write_calls(planned, "guarded", recorded.records))
    cache_of(Lake(run.lake)).close()
    return {call.request.suffix: responses[call.request.request_id] for call in calls}


def test_a_good_run_and_every_fault_leave_no_trace_of_the_key(
    engine: str, server: Server, tmp_path: Path, heard: Heard
) -> None:
    run = settings(tmp_path, engine, server.url)
    row = find_model("guarded", run.models_file)
    server.set_faults([*PASSING, *FINAL])
    suffixes = [f"#{rule['kind']}#" for rule in (*PASSING, *FINAL)]
    calls = group_of("Good.", 3, row) + [call_of("Faulty.", suffix, row) for suffix in suffixes]
    responses = asyncio.run(asked(run, calls))
    assert server.last()["has_key"] is True
    statuses = {
        suffix: (response.status, response.error_type) for suffix, response in responses.items()
    }
    good = {f" Question {number}?": ("ok", None) for number in range(3)}
    passing = {f"#{rule['kind']}#": ("ok", None) for rule in PASSING}
    assert statuses == good | passing | {
        f"#{rule['kind']}#": ("error", _ERRORS[rule["kind"]]) for rule in FINAL
    }
    everything = heard.everything(tmp_path)
    assert b"Faulty." in everything  # what is searched has been written
    assert b"has a key" in everything
    assert MARK not in everything


_ERRORS = {
    "overflow": "context_overflow",
    "content_filter": "content_filter",
    "bad_request": "bad_request",
}


def test_an_expired_key_that_the_server_echoes_is_nowhere(
    engine: str, server: Server, tmp_path: Path, heard: Heard
) -> None:
    run = settings(tmp_path, engine, server.url)
    row = find_model("guarded", run.models_file)
    server.set_faults([{"kind": "expired_key", "match": "late"}])
    calls = [*group_of("Early.", 3, row), *group_of("late.", 3, row)]
    with pytest.raises(RunFailed, match=KEY_ENV) as stopped:
        asyncio.run(asked(run, calls))
    cache_of(Lake(run.lake)).close()
    heard.add_error(stopped.value)
    assert server.stats()["by_fault"]["expired_key"] > 0
    everything = heard.everything(tmp_path)
    assert b"TENKBENCH_PLANTED_KEY" in everything
    assert MARK not in everything


async def careless(request: web.Request) -> web.Response:
    """Refuses everything, with the status that the prompt names, and quotes the key as it came."""
    body = await request.json()
    key = request.headers["Authorization"]
    status = int(body["messages"][0]["content"].partition("#")[2].split()[0])
    text = f"what is this? {key} or {key.removeprefix('Bearer ')}? " * 3
    headers = {"X-Key": key, "Server": f"careless/{key}"}
    if status == 200:
        return web.Response(text=text, headers=headers)
    return web.json_response(
        {"error": {"message": text, "code": "odd"}}, status=status, headers=headers
    )


async def echoing(request: web.Request) -> web.Response:
    """Answers with the key, in its text and in its thoughts."""
    said = f"what is this? {request.headers['Authorization']}?"
    message = {"role": "assistant", "content": f"<think>{said}</think>{said}"}
    message["reasoning_content"] = said
    return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})


def test_a_key_in_an_answer_or_in_thoughts_is_nowhere(
    engine: str, tmp_path: Path, heard: Heard
) -> None:
    async def ask() -> dict[str, Response]:
        async with answering(echoing) as url:
            run = settings(tmp_path, engine, url)
            row = find_model("guarded", run.models_file)
            return await asked(run, group_of("Echo.", 3, row))

    for response in asyncio.run(ask()).values():
        assert (response.status, response.text) == ("ok", "what is this? Bearer ***?")
        assert "Bearer ***" in (response.reasoning or "")
    everything = heard.everything(tmp_path)
    assert b"what is this?" in everything
    assert MARK not in everything


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 413, 422, 429, 500])
def test_a_server_that_quotes_the_key_is_quoted_without(
    engine: str, status: int, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(in_flight=2, attempts=2, longest_wait_s=0.01)
    monkeypatch.setattr(Limits, "of", classmethod(lambda cls, model, room=None: limits))

    async def ask() -> dict[str, Response]:
        async with answering(careless) as url:
            run = settings(tmp_path, engine, url)
            row = find_model("guarded", run.models_file)
            return await asked(run, [call_of("Odd.", f"#{status}", row)])

    if status in (401, 403, 404):
        with pytest.raises(RunFailed) as stopped:
            asyncio.run(ask())
        cache_of(Lake(str(tmp_path / "lake"))).close()
        heard.add_error(stopped.value)
    else:
        (response,) = asyncio.run(ask()).values()
        assert response.status == "error"
        assert status == 200 or "what is this? Bearer *** or ***?" in (response.error or "")
    assert MARK not in heard.everything(tmp_path)
