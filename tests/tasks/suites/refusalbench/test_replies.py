"""Replies to the suite's operations in many styles are read right, or not at all."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tasks.inference.operation import Question, read_reply, render
from tasks.suites.refusalbench.base.facts import Fact
from tasks.suites.registry import load_suite
from tests.scripted import response_to

CORPUS = Path(__file__).parents[2] / "inference" / "replies_refusalbench.toml"
REPLIES = tomllib.loads(CORPUS.read_text(encoding="utf-8"))["replies"]


def reading_of(each: dict[str, Any]) -> Any:
    operation = load_suite("refusalbench").operations[each["operation"]]
    names = [field.name for field in dataclasses.fields(operation.inputs)]
    inputs = operation.inputs(**{name: f"A text for {name}." for name in names})
    (call,) = render(operation, "m", [Question("s", inputs)])
    return read_reply(operation, call.request, response_to(call, each["reply"])).value


def plain(value: Any) -> Any:
    match value:
        case tuple() | list():
            return [plain(each) for each in value]
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case Fact():
            return dataclasses.asdict(value)
    return value


@pytest.mark.parametrize(
    "each", REPLIES, ids=lambda each: f"{each['operation']}, {each['style']}".replace(" ", "_")
)
def test_a_reply_is_read_right_or_not_at_all(each: dict[str, Any]) -> None:
    found, right = reading_of(each), each.get("reads")
    if isinstance(right, dict):
        assert {name: plain(getattr(found, name)) for name in right} == right
    else:
        assert plain(found) == right
