"""The operation that writes a conversation about a context.

Paper 000, "Query Generation", `generate`. The reply is JSON lines with the keys USER and ASSISTANT,
about four questions to one request for a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from itertools import pairwise
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.replies import settled
from tasks.inference.schemas import closed, listed, text
from tasks.suites.failsafeqa.questions.choice import MOST_EXCHANGES
from tasks.text.json_replies import objects

# a speaker's text, up to the next speaker, a fence, talk after the conversation, or the end
_SPOKEN = re.compile(
    r"^[ \t*_#>]*(?:\d+\W+)?(USER|ASSISTANT)\b[ \t*_]*:[ \t*_]*(.*?)"
    r"(?=^[ \t*_#>]*(?:\d+\W+)?(?:USER|ASSISTANT)\b[ \t*_]*:|^\s*```"
    r"|^\s*(?:I hope|Let me know|Note:|These exchanges|This conversation|Would you like)|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
# what stands between exchanges
_BETWEEN = re.compile(
    r"(?:\n\s*(?:[-*_=]{3,}|[^\w\n]*(?:exchange|turn)[^\w\n]*\d+[^\w\n]*)[ \t]*)+\Z", re.IGNORECASE
)
_CONTENT = re.compile(  # whoever says `wait` in an exchange withdraws nothing
    r'"(?:[^"\\\n]|\\.)*"|^[ \t*_#>]*(?:\d+\W+)?(?:USER|ASSISTANT)\b[ \t*_]*:.*$',
    re.MULTILINE | re.IGNORECASE,
)


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


def parse(reply: str, *, is_cut: bool = False) -> tuple[Turn, ...]:
    """Read exchanges from JSON lines, an array, a list of messages, or lines `USER: ...`.

    If the reply is cut off, the exchanges that are whole count; of lines, the last is not.

    Raises:
        ParseError: there is no exchange, or a part is withdrawn and nothing marked as final.
    """
    reply = settled(reply, _CONTENT)
    found = objects(reply)
    turns = [(each.get("user"), each.get("assistant")) for each in found]
    texts = [(each.get("role"), each.get("content")) for each in found]
    turns += _paired([(str(role).lower(), text) for role, text in texts])
    if not found:
        spoken = [
            (line[1].lower(), _BETWEEN.sub("", line[2].rstrip()))
            for line in _SPOKEN.finditer(reply)
        ]
        turns = _paired(spoken[:-1] if is_cut else spoken)
    read = [
        Turn(user.strip(), assistant.strip())
        for user, assistant in turns
        if isinstance(user, str) and isinstance(assistant, str)
    ]
    whole = [turn for turn in read if turn.user and turn.assistant]
    if not whole:
        raise ParseError("the reply holds no exchange")
    return tuple(dict.fromkeys(whole))


def _paired(spoken: Sequence[tuple[str, Any]]) -> list[tuple[Any, Any]]:
    """Pair each text of the user with the assistant's right after it."""
    return [
        (question, answer)
        for (asks, question), (answers, answer) in pairwise(spoken)
        if (asks, answers) == ("user", "assistant")
    ]


OPERATION: Operation[Inputs, tuple[Turn, ...]] = Operation(
    name="write_dialogue",
    template="failsafeqa/dialogue",
    inputs=Inputs,
    parse=parse,
    parse_cut=partial(parse, is_cut=True),
    sampling=Sampling(temperature=0.7, max_tokens=4096),
    may_be_cut=True,  # every exchange before the cut still counts
    schema=closed(
        exchanges=listed(closed(USER=text(400), ASSISTANT=text(1500)), most=MOST_EXCHANGES, least=1)
    ),
)
