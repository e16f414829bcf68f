"""Read the answer in a model's reply, which was asked to be JSON (paper 001, appendices A and C).

Every reply has a reading: a model under test is not asked again. Fences and talk around an object
do not count. Of several objects with an answer, the last one counts, as earlier ones may be drafts
or the prompt's example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tasks.core.rows import Sampling
from tasks.suites.judge import Answered
from tasks.text.json_replies import outermost_values

# What a reply is: an object with an answer, one whose answer is empty or nothing at all, an object
# without an answer, or a text without an object.
ReplyClass = Literal["answer", "empty", "no answer", "no JSON"]

_KEY = "answer"


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """A reply's class, and its answer as text."""

    reply: ReplyClass
    answer: str


def read_answer(reply: str) -> AnswerReading:
    """Read the answer of a raw reply.

    A nested answer becomes text: keys and values in reading order. Of an object without an answer
    all values count, and of a text without an object the whole text. What is inside an object that
    was cut off is no object.
    """
    try:
        items = list(_objects(reply))
        answers = [item[_KEY] for item in items if _KEY in item]
        if answers:
            return _reading("answer", _flat(answers[-1]))
        if items:
            values = [_flat(value) for item in items for value in item.values()]
            return _reading("no answer", "; ".join(filter(None, values)))
    except RecursionError:
        pass  # nested too deep to be an answer: the whole text is read
    return _reading("no JSON", reply.strip() if re.search(r"\w", reply) else "")


def _reading(reply: ReplyClass, answer: str) -> AnswerReading:
    return AnswerReading(reply, answer) if answer else AnswerReading("empty", "")


def _objects(reply: str) -> Iterator[dict[str, Any]]:
    """Yield a reply's objects, keys in small letters; a wrapper of one object counts as that."""
    for value in outermost_values(reply):
        for item in value if isinstance(value, list) else [value]:
            while isinstance(item, dict):
                named = {str(key).strip().casefold(): inner for key, inner in item.items()}
                (first, *others) = named.values() or (None,)
                if _KEY in named or others or not isinstance(first, dict):
                    yield named
                    break
                item = first


def _flat(value: Any) -> str:
    """Write a JSON value as text."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        pairs = ((str(key).strip(), _flat(inner)) for key, inner in value.items())
        return "; ".join(f"{key}: {inner}" for key, inner in pairs if inner)
    if isinstance(value, list | tuple | set):
        return "; ".join(filter(None, map(_flat, value)))
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, bool | int | float) else str(value)


SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
CORRECT, WRONG = "correct", "wrong"
EMPTY = "the reply has no answer"
# Why a judge leaves a question to others, and which of them takes it.
ANALYSIS = "an analysis; --judge critique=MODEL or pairwise=MODEL judges it"
WORDS = "a reference in words; --judge accuracy=MODEL judges it"


def is_empty(thing: Answered) -> bool:
    """Tell whether a model replied, and gave no answer: no judge is asked whether it is right."""
    return thing.response.status == "ok" and not read_answer(thing.text).answer
