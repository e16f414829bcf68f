"""The operation that writes a conversation about a context.

Paper 000, "Query Generation", `generate`. The reply is JSON lines with the keys USER and ASSISTANT,
about four questions to one request for a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*$|^[ \t]*```[\w-]*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a conversation."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: examples, context, number, and the passage to begin with."""

    examples: str
    context: str
    number: str
    focus: str


def default_examples() -> str:
    """Read the project's few-shot examples: JSON lines on an invented company."""
    return (
        files("tasks.suites.failsafeqa")
        .joinpath("prompts", "examples.jsonl")
        .read_text(encoding="utf-8")
        .strip()
    )


def numbered(turns: Sequence[Turn]) -> str:
    """Write a conversation for the next operations: exchanges numbered from 1."""
    return "\n\n".join(
        f"[{number}] USER: {turn.user}\n[{number}] ASSISTANT: {turn.assistant}"
        for number, turn in enumerate(turns, start=1)
    )


def parse(reply: str) -> tuple[Turn, ...]:
    """Read exchanges from JSON lines or a JSON array; code fences are allowed.

    Raises:
        ParseError: a line is not an object with texts for USER and ASSISTANT, or there is no line.
    """
    body = _FENCE.sub("", reply).strip()
    if not body:
        raise ParseError("the reply holds no exchange")
    whole = _as_array(body)
    if whole is not None:
        return tuple(_turn(entry, f"entry {number}") for number, entry in enumerate(whole, start=1))
    turns = []
    for number, line in enumerate(reply.splitlines(), start=1):
        text = line.strip().rstrip(",")
        if text and not text.startswith("```"):
            turns.append(_turn(_json(text, number), f"line {number}"))
    return tuple(turns)


def _as_array(body: str) -> list[Any] | None:
    if not body.startswith("["):
        return None
    try:
        entries = json.loads(body)
    except json.JSONDecodeError as error:
        raise ParseError(
            f"the reply is no JSON array: {error.msg} in line {error.lineno}"
        ) from error
    if not entries:
        raise ParseError("the reply holds no exchange")
    return list(entries)


def _json(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ParseError(f"line {number} is no JSON: {error.msg}") from error


def _turn(entry: Any, place: str) -> Turn:
    if not isinstance(entry, dict):
        raise ParseError(f"{place} is no JSON object")
    texts = []
    for key in ("USER", "ASSISTANT"):
        text = entry.get(key)
        if not isinstance(text, str) or not text.strip():
            raise ParseError(f"{place} has no text for {key}")
        texts.append(text.strip())
    return Turn(*texts)


OPERATION: Operation[Inputs, tuple[Turn, ...]] = Operation(
    name="write_dialogue",
    template="failsafeqa/dialogue",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.7, max_tokens=4096),
)
