"""A model that answers every call with nothing is reported, and ends its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.core.progress import hearing
from tasks.inference.client import Client, OnlyEmptyAnswers
from tasks.inference.operation import Call, grouped
from tasks.inference.readings import Readings
from tasks.models.catalogue import Model
from tasks.pipeline.clients import client_of, context_of, running
from tasks.pipeline.settings import RunSettings
from tests.calls import call_of, streamed
from tests.scripted import Scripted
from tests.servers.serving import serving

ROW = Model(name="mute", engine="openai", description="", prime=False)


def told_by(client: Client, n_calls: int, row: Model = ROW) -> list[str]:
    calls = [call_of("Document. ", f"Question {number}?", row) for number in range(n_calls)]
    told: list[str] = []
    with hearing(told.append):
        streamed(client, grouped(calls))
    return told


def client_that(reply: str, every: int = 1, identity: str | None = "mute") -> Client:
    def said(call: Call) -> str:
        number = int(call.prompt.split("Question ")[1].strip("?"))
        return "Yes." if number % every else reply

    return Client(Scripted(said, model="mute", identity=identity), part=None)


def test_a_server_that_answers_nothing_ends_the_run_also_from_kept_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as server:
        monkeypatch.setenv("NO_PROXY", "*")
        run = RunSettings(lake=str(tmp_path / "lake"), model=(f"chat@{server.url}",))
        server.set_faults([{"kind": "empty"}])

        def ask(run: RunSettings) -> list[str]:
            with running(run):
                client = client_of(run, context_of(run), f"chat@{server.url}", {})
                return told_by(client, 25)

        for _ in range(2):
            with pytest.raises(OnlyEmptyAnswers, match="all 25 answers are empty"):
                ask(run)
        fresh = RunSettings(lake=run.lake, model=run.model, fresh=True)
        with pytest.raises(OnlyEmptyAnswers):
            ask(fresh)
        server.set_faults([])
        assert ask(fresh) == []


def test_the_first_empty_answers_are_told_once() -> None:
    with pytest.raises(OnlyEmptyAnswers):
        told_by(client_that(" \n"), 60)
    told: list[str] = []
    with hearing(told.append), pytest.raises(OnlyEmptyAnswers):
        told_by(client_that(""), 60)
    assert len(told) == 1
    assert told[0].startswith("mute: the first 20 answers are all empty")


@pytest.mark.parametrize(
    "client",
    [client_that("", every=2), client_that("No."), client_that("", identity=None)],
    ids=["half", "none", "rules"],
)
def test_other_answers_are_not_told(client: Client) -> None:
    assert told_by(client, 60) == []


@pytest.mark.parametrize("n_calls", [1, 19])
def test_a_few_empty_answers_end_the_run_too_if_there_are_no_others(n_calls: int) -> None:
    with pytest.raises(OnlyEmptyAnswers, match=r"mute: .* empty\. Check"):
        told_by(client_that(""), n_calls)


def test_empty_answers_count_beside_those_of_the_run_s_other_steps() -> None:
    readings = Readings()
    for client in (client_that("No."), client_that("", every=1)):
        client.readings = readings
        assert told_by(client, 3) == []
