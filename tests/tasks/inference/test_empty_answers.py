"""A model whose first answers are all empty ends its run."""

from __future__ import annotations

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client, OnlyEmptyAnswers
from tasks.inference.operation import Call, grouped
from tasks.inference.readings import Readings
from tasks.models.catalogue import Model
from tests.calls import call_of, streamed
from tests.scripted import Scripted

ROW = Model(name="mute", engine="openai", description="", prime=False)


def ask(client: Client, n_calls: int) -> None:
    calls = [call_of("Document. ", f"Question {number}?", ROW) for number in range(n_calls)]
    streamed(client, grouped(calls))


def client_that(
    reply: str,
    every: int = 1,
    identity: str | None = "mute",
    journal: ResponseCache | None = None,
) -> Client:
    def said(call: Call) -> str:
        number = int(call.prompt.split("Question ")[1].strip("?"))
        return "Yes." if number % every else reply

    return Client(Scripted(said, model="mute", identity=identity), journal, part=None)


def test_a_model_that_answers_nothing_ends_the_run_also_from_kept_answers(
    journal: ResponseCache,
) -> None:
    for _ in range(2):
        with pytest.raises(OnlyEmptyAnswers, match="the first 20 answers are all empty"):
            ask(client_that(" \n", journal=journal), 60)


@pytest.mark.parametrize(
    ("client", "n_calls"),
    [
        (client_that("", every=2), 60),
        (client_that("No."), 60),
        (client_that("", identity=None), 60),
        (client_that(""), 19),
    ],
    ids=["half", "none", "rules", "few"],
)
def test_other_answers_do_not(client: Client, n_calls: int) -> None:
    ask(client, n_calls)


def test_empty_answers_count_beside_those_of_the_run_s_other_steps() -> None:
    readings = Readings()
    for client in (client_that("No."), client_that("")):
        client.readings = readings
        ask(client, 30)
