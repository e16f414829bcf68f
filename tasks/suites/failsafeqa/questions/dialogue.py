"""The operation that writes a conversation about a context.

Paper 000, "Query Generation", `generate`. The reply is JSON lines with the keys USER and ASSISTANT,
about four questions to one request for a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, listed, text
from tasks.suites.failsafeqa.questions.choice import MOST_EXCHANGES
from tasks.text.json_replies import objects


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


def few_shot_examples() -> str:
    """Read the prompt's examples: JSON lines on an invented company."""
    file = files("tasks.suites.failsafeqa").joinpath("prompts", "examples.jsonl")
    return file.read_text(encoding="utf-8").strip()


def numbered(turns: Sequence[Turn]) -> str:
    """Write a conversation for the next operations: exchanges numbered from 1."""
    return "\n\n".join(
        f"[{number}] USER: {turn.user}\n[{number}] ASSISTANT: {turn.assistant}"
        for number, turn in enumerate(turns, start=1)
    )


def parse(reply: str) -> tuple[Turn, ...]:
    """Read the exchanges of a reply, which may be cut off: those that are whole count.

    Raises:
        ParseError: there is no exchange.
    """
    spoken = [(entry.get("user"), entry.get("assistant")) for entry in objects(reply)]
    turns = [
        Turn(user.strip(), assistant.strip())
        for user, assistant in spoken
        if isinstance(user, str) and isinstance(assistant, str)
    ]
    if not (whole := [turn for turn in turns if turn.user and turn.assistant]):
        raise ParseError("the reply holds no exchange")
    return tuple(dict.fromkeys(whole))


OPERATION: Operation[Inputs, tuple[Turn, ...]] = Operation(
    name="write_dialogue",
    template="failsafeqa/dialogue",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.7, max_tokens=4096),
    may_be_cut=True,  # every exchange before the cut still counts
    schema=closed(
        exchanges=listed(closed(USER=text(400), ASSISTANT=text(1500)), most=MOST_EXCHANGES, least=1)
    ),
)
