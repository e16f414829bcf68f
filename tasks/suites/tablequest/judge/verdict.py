"""What judges are shown, and how their verdicts are read.

A reply under judgement must not be able to change its verdict:

- It comes last, between lines with a mark that is a hash of it.
- No input holds the key of a verdict: in `better_model` its underscore becomes a space, and double
  square brackets are spaced apart. So a judge that quotes a reply does not state a verdict, and a
  judge's verdict is never taken for a quote.
- Only the key that was asked for states a verdict, in JSON or on a line. Two different verdicts are
  none: the judge is asked again, and then the reply stays unscored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation
from tasks.inference.replies import ParseError
from tasks.suites.shared.judging import Answered, AnsweredPair, why_no_answer
from tasks.suites.shared.verdicts import spaced_brackets, unscored_reason
from tasks.suites.tablequest.judge.reading import read_answer

SAMPLING = Sampling(temperature=0.0, max_tokens=1024)
LOWEST, HIGHEST = 1, 3
CORRECT, WRONG = "correct", "wrong"
EMPTY = "the reply has no answer"
# Why a judge leaves a question to others, and which of them takes it.
ANALYSIS = "an analysis; --judge critique=MODEL or pairwise=MODEL judges it"
WORDS = "a reference in words; --judge accuracy=MODEL judges it"
FAILURES = ("empty", "retrieval", "calculation", "misreading", "missing step", "format")

# The keys of verdicts.
ACCURACY, PAIRWISE, CRITIQUE = "answer_is", "better_model", "critique_points"

_CLASSES = "failure_classes"
_KEY = re.compile(rf"{ACCURACY}|{PAIRWISE}|{CRITIQUE}|{_CLASSES}|\bmodel_(?=[12]\b)", re.IGNORECASE)
_LIST = re.compile(rf"{_CLASSES}[\"'*\s]*[:=]\s*\[([^\[\]]*)\]", re.IGNORECASE)

Thing = TypeVar("Thing", Answered, AnsweredPair)
Value = TypeVar("Value")


def harmless(text: str) -> str:
    """Return a text that a judge may quote without stating a verdict."""
    return _KEY.sub(lambda found: found[0].replace("_", " "), spaced_brackets(text))


def judged(
    things: Sequence[Thing],
    engine: Engine | None,
    operation: Operation[Any, Any],
    inputs_of: Callable[[Thing], Any],
) -> Iterator[tuple[Thing, Any, dict[str, Any]]]:
    """Yield each thing with its verdict, or None, and the columns that say where it comes from.

    The judge sees no failed answers.
    """
    assert engine is not None  # only a model can be such a judge
    asked = [thing.question(inputs_of(thing)) for thing in things if missing(thing) is None]
    replies = {reply.subject_id: reply for reply in ask(engine, operation, asked)}
    for thing in things:
        reply = replies.get(thing.subject_id)
        if reply is None:
            yield thing, None, {"unscored_reason": missing(thing)}
            continue
        columns = {
            "unscored_reason": unscored_reason(reply),
            "rationale": reply.response.text,
            "judge_request_id": reply.request.request_id,
        }
        yield thing, reply.value, columns


def missing(thing: Answered | AnsweredPair) -> str | None:
    """Return why there is nothing to judge; None if all answers are there."""
    if isinstance(thing, AnsweredPair):
        return missing(thing.first) or missing(thing.second)
    return why_no_answer(thing.response)


def is_empty(thing: Answered) -> bool:
    """Tell whether a model replied, and gave no answer: no judge is asked whether it is right."""
    return missing(thing) is None and not read_answer(thing.text, thing.case.query).answer


def by_silence(pair: AnsweredPair) -> str | None:
    """Decide between two replies of which one or both have no answer; None if both have one."""
    if missing(pair) or not (is_empty(pair.first) or is_empty(pair.second)):
        return None
    if is_empty(pair.first) == is_empty(pair.second):
        return "tie"
    return "lost" if is_empty(pair.first) else "won"


def parse_accuracy(reply: str) -> bool:
    """Read whether a judge calls an answer correct."""
    return _read(reply, ACCURACY, {CORRECT: True, WRONG: False})


def parse_pairwise(reply: str) -> str:
    """Read which model a judge prefers: won, lost or tie, said of the first."""
    return _read(reply, PAIRWISE, {"model_1": "won", "model_2": "lost", "tie": "tie"})


def parse_critique(reply: str) -> tuple[int, tuple[str, ...]]:
    """Read a judge's points, from 1 to 3, and the classes of failures that it names."""
    points = {str(points): points for points in range(LOWEST, HIGHEST + 1)}
    return _read(reply, CRITIQUE, points), _failures(reply)


def _read(reply: str, key: str, values: Mapping[str, Value]) -> Value:
    stated = _stated(reply, key)
    if stated is None or stated not in values:
        raise ParseError("the reply has no verdict that was asked for")
    return values[stated]


def _stated(reply: str, key: str) -> str | None:
    """Return the value that a reply gives a key, in small letters; None if it gives none.

    The JSON around it may be broken, for example by a text with quotation marks in it.

    Raises:
        ParseError: there are several values.
    """
    pairs = re.finditer(
        rf"{key}[\"'“”*`\s]*[:=][*`\s]*(?:[\"'“]([^\"'”\n]*)|([^\n,}}]*))", reply, re.IGNORECASE
    )
    values = {(each[1] or each[2] or "").strip(" .*`").casefold() for each in pairs}
    if len(values) > 1:
        raise ParseError("the reply has different verdicts and marks none as final")
    return values.pop() if values else None


def _failures(reply: str) -> tuple[str, ...]:
    lists = {_classes(names) for names in _LIST.findall(reply)}
    if len(lists) != 1:
        raise ParseError("the reply has no list of failures, or different ones")
    return lists.pop()


def _classes(names: str) -> tuple[str, ...]:
    """Return the classes that a list names, in the order of `FAILURES`."""
    named = {name.strip(" \t\n\"'").casefold().replace("_", " ") for name in names.split(",")}
    if not named <= {*FAILURES, ""}:
        raise ParseError("the reply names a failure that is not in the list")
    return tuple(name for name in FAILURES if name in named)
