"""Invented replies of the recall study are read as a careful person reads them, or refused."""

from __future__ import annotations

import dataclasses
import tomllib
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.inference.operation import Operation, Question, read_reply, render
from tasks.suites.tablequest.recall.operations import ANSWER, WRITE, Grounded
from tests.scripted import response_to

FILE = Path(__file__).parents[2] / "inference" / "replies_tablequest_recall.toml"
REPLIES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["replies"]
OPERATIONS: dict[str, Operation[Any, Any]] = {each.name: each for each in (WRITE, ANSWER)}


def reading_of(operation: Operation[Any, Any], reply: dict[str, Any]) -> list[str] | None:
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})
    (call,) = render(operation, "m", [Question("s", inputs)])
    reason = "length" if reply.get("cut") else "stop"
    response = response_to(call, reply["reply"], finish_reason=reason)
    value = read_reply(operation, call.request, response).value
    if isinstance(value, Grounded):
        return [value.question, value.sentence]
    return None if value is None else [value.answer, value.steps]


def test_every_operation_has_ten_styles_of_replies() -> None:
    counts = Counter(operation for operation, _ in {(e["operation"], e["style"]) for e in REPLIES})
    assert set(counts) == set(OPERATIONS)
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("reply", REPLIES, ids=lambda each: f"{each['operation']}: {each['style']}")
def test_a_reply_is_read_as_a_careful_person_reads_it(reply: dict[str, Any]) -> None:
    assert reading_of(OPERATIONS[reply["operation"]], reply) == reply.get("reads")


@pytest.mark.parametrize("piece", ["* ", "```\n", " \n", "{", '": "', "Question: ", '{"a":'])
def test_a_long_reply_takes_no_long_time(piece: str) -> None:
    start = process_time()
    for operation in OPERATIONS.values():
        reading_of(operation, {"reply": piece * (16_000 // len(piece))})
    assert process_time() - start < 0.5 * len(OPERATIONS)
