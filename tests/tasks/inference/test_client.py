"""The road of a step: what `--fresh` and `--retry-failed` ask again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Response
from tasks.inference import engines
from tasks.inference.cache import response_cache
from tasks.inference.operation import grouped
from tasks.models import catalogue
from tasks.models.catalogue import Model
from tasks.pipeline.clients import client_of, opened
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tests.calls import call_of, streamed
from tests.scripted import Scripted

ROW = Model(name="bought", engine="bought", description="scripted", prime=False)


@pytest.fixture
def run(tmp_path: Path) -> RunSettings:
    return RunSettings(lake=str(tmp_path / "lake"), model=("bought",))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    scripted = Scripted(lambda call: "Yes.", model="bought", identity=ROW.identity)
    monkeypatch.setitem(catalogue._packaged(), "bought", ROW)
    monkeypatch.setitem(engines.ENGINES, "bought", lambda model, *given: scripted)
    return scripted


def asked(run: RunSettings, n_calls: int = 3) -> list[Response]:
    calls = [call_of("Document. ", f"Question {number}?", ROW) for number in range(n_calls)]
    return [response for _, response in streamed(client_of(resolve(run), "bought"), grouped(calls))]


def test_what_was_bought_is_not_bought_again(run: RunSettings, engine: Scripted) -> None:
    asked(run)
    asked(replace(run, release="2026.11"))
    assert len(engine.calls) == 3


def test_a_fresh_run_that_is_killed_and_started_again_buys_once(
    run: RunSettings, engine: Scripted
) -> None:
    asked(run)
    fresh = replace(run, fresh=True)
    killed = opened(fresh)
    killed.__enter__()
    asked(fresh, 2)  # two of its three calls, then it ends
    assert not killed.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert len(engine.calls) == 5
    with opened(fresh):
        asked(fresh)
    assert len(engine.calls) == 6


def test_kept_failures_are_asked_again_when_told_to(
    run: RunSettings, engine: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.reply = lambda call: None
    monkeypatch.setattr("tasks.inference.work.is_kept", lambda response: True)
    asked(run)
    engine.reply = lambda call: "Yes."
    assert {row.status for row in asked(run)} == {"error"}  # kept, as an answer is
    monkeypatch.setattr(response_cache, "_caches", {})  # another program, later
    assert {row.status for row in asked(replace(run, retry_failed=True))} == {"ok"}
    assert {row.status for row in asked(run)} == {"ok"}
    assert len(engine.calls) == 6
