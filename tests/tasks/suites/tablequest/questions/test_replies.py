"""Invented replies of writers and verifiers are read as a careful person reads them, or refused."""

from __future__ import annotations

import dataclasses
import tomllib
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tasks.inference.operation import Operation, Question, read_reply, render
from tasks.suites.tablequest.questions.rounds import OPERATIONS as ROUNDS
from tasks.suites.tablequest.questions.rounds import Written
from tasks.suites.tablequest.questions.verification import REDERIVE, VERIFY, OwnAnswer, Verdict
from tests.scripted import response_to

FILE = Path(__file__).parents[3] / "inference" / "replies_tablequest_build.toml"
REPLIES: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["replies"]
OPERATIONS = {each.name: each for each in (*ROUNDS.values(), REDERIVE, VERIFY)}


def reading_of(operation: Operation[Any, Any], reply: dict[str, Any]) -> Any:
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})
    (call,) = render(operation, "m", [Question("s", inputs)])
    reason = "length" if reply.get("cut") else "stop"
    response = response_to(call, reply["reply"], finish_reason=reason)
    return plain(read_reply(operation, call.request, response).value)


def plain(value: Any) -> Any:
    match value:
        case Written():
            cells = [[cell.table, cell.row, cell.column, cell.value] for cell in value.cells]
            return [value.question, value.answer, value.steps, value.calculation or "", *cells]
        case OwnAnswer():
            return [value.answer, value.steps]
        case Verdict():
            return [value.relevant, value.reasonable, value.valid, value.level, value.sources,
                    value.agrees]  # fmt: skip
    return value


def test_every_operation_has_ten_styles_of_replies() -> None:
    counts = Counter(operation for operation, _ in {(e["operation"], e["style"]) for e in REPLIES})
    assert set(counts) == set(OPERATIONS)
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("reply", REPLIES, ids=lambda each: f"{each['operation']}: {each['style']}")
def test_a_reply_is_read_as_a_careful_person_reads_it(reply: dict[str, Any]) -> None:
    assert reading_of(OPERATIONS[reply["operation"]], reply) == reply.get("reads")


@pytest.mark.parametrize("piece", ["* ", "```\n", " \n", "[[", "{", '": "', "Question: ", '{"a":'])
def test_a_long_reply_takes_no_long_time(piece: str) -> None:
    reply = {"reply": piece * (16_000 // len(piece))}
    start = process_time()
    for operation in OPERATIONS.values():
        reading_of(operation, reply)
    assert process_time() - start < 0.5 * len(OPERATIONS)


def test_the_prompts_of_all_rounds_begin_alike_up_to_the_end_of_the_snippet() -> None:
    inputs = {"context": "A snippet.", "company": "Acme", "year": "for 2021", "earlier": "none yet"}
    prefixes = set()
    for operation in ROUNDS.values():
        (call,) = render(operation, "m", [Question("s", operation.inputs(**inputs))])
        prefixes.add(call.prefix.text)
    (prefix,) = prefixes
    assert "A snippet." in prefix
    assert "Acme" not in prefix
