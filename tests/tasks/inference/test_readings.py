"""A run stops when nearly all replies cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client, ask
from tasks.inference.context import MostlyUnreadable
from tasks.inference.operation import Call, Operation, ParseError
from tasks.suites.failsafeqa.answer import OPERATION as ANSWER
from tasks.suites.shared.contexts import ContextInputs
from tests.kept import Sending, question
from tests.scripted import Scripted


def read_number(text: str) -> int:
    if not text.isdigit():
        raise ParseError("it is no number")
    return int(text)


OPERATION: Operation[ContextInputs, int] = replace(ANSWER, name="count", parse=read_number)
MANY = [question("A", f"{number}?") for number in range(100)]


def test_a_model_that_cannot_be_read_stops_the_run_and_keeps_its_replies(
    journal: ResponseCache,
) -> None:
    sent: list[str] = []

    def reply(call: Call) -> str:
        sent.append(call.request.subject_id)
        return "words"

    for n_sent in (96, 0):  # and again, for nothing
        sent.clear()
        with pytest.raises(MostlyUnreadable, match="48 of 48 replies to count"):
            ask(Client(Sending(reply, in_flight=1), journal), OPERATION, MANY)
        assert len(sent) <= n_sent


def test_rules_never_stop_a_run() -> None:
    rules = Scripted(lambda call: "words")
    assert {reply.value for reply in ask(rules, OPERATION, MANY)} == {None}
