"""What judges are shown, and how their verdicts are read.

A reply under judgement must not be able to change its verdict:

- It comes last, between lines with a mark that is a hash of it.
- No input holds the key of a verdict: in `better_model` its underscore becomes a space, and double
  square brackets are spaced apart. So a judge that quotes a reply does not state a verdict, and a
  judge's verdict is never taken for a quote.
- If a judge writes the key that was asked for, nothing else counts. Two different verdicts are
  none: the judge is asked again, and then the reply stays unscored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation
from tasks.inference.replies import ParseError, read_rating, read_verdict
from tasks.suites.shared.judging import Answered, AnsweredPair, why_no_answer
from tasks.suites.shared.verdicts import spaced_brackets, unscored_reason
from tasks.suites.tablequest.judge.reading import read_answer
from tasks.text.json_replies import objects

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
_NOT_CORRECT = r"not\W{1,3}correct|incorrect|wrong"
_MODEL = r"model[ _-]?[12]"
_BETTER = (
    rf"\W*{_MODEL} (?:is (?:the )?better|is the winner|wins|answer\w* better)\b"
    r"|\W*(?:it|this) is a tie\b"
)
# In broken JSON, or on a line of its own.
_FAILURE_LIST = re.compile(
    rf"(?:{_CLASSES}|^[^\w\n]*failure classes)[\"'*\s]*[:=][ *]*(\[[^\]{{]*\]|[^\n{{\[]*)",
    re.IGNORECASE | re.MULTILINE,
)
_NO_FAILURE = frozenset({"", "none", "no failure", "no failures", "n a", "null", "nothing"})

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
    return _read(
        reply,
        ACCURACY,
        rf"(?:{_NOT_CORRECT}|correct)\b",
        lambda said: said == CORRECT,
        labels="answer is|answer|verdict|decision|judge?ment|result",
        said=rf"\W*(?:the )?(?:candidate's )?answer is (?:{_NOT_CORRECT}|correct)\b(?!.*\?)",
    )


def parse_pairwise(reply: str) -> str:
    """Read which model a judge prefers: won, lost or tie, said of the first."""
    return _read(
        reply,
        PAIRWISE,
        rf"(?:{_MODEL}|(?:a )?tie)\b",
        lambda said: {"1": "won", "2": "lost"}.get(said[-1], "tie"),
        labels="better(?:[ _]model)?|verdict|decision|winner|choice|judge?ment|result",
        said=_BETTER,
        of_key="neither|both|equal",
    )


def parse_critique(reply: str) -> tuple[int, tuple[str, ...]]:
    """Read a judge's points, from 1 to 3, and the classes of failures that it names."""
    stated = _stated(reply, CRITIQUE)
    if stated is None:
        points = read_rating(reply, LOWEST, HIGHEST, labels="(?:critique )?points|rating|score")
    elif found := re.fullmatch(r"([1-3])(?:\s*(?:/|out of)\s*3)?(?: points?)?", stated):
        points = int(found[1])
    else:
        raise ParseError(f"the points are not a whole number from {LOWEST} to {HIGHEST}")
    return points, _failures(reply)


def _read(
    reply: str,
    key: str,
    value: str,
    convert: Callable[[str], Value],
    *,
    labels: str,
    said: str,
    of_key: str = "(?!)",
) -> Value:
    """Read the value of a verdict's key; if the reply lacks the key, see `read_verdict`.

    `of_key` is a pattern of words that are a verdict as the key's value, but not in a sentence.
    """
    stated = _stated(reply, key)
    if stated is None:
        return read_verdict(
            reply, value, convert, noun="verdict", labels=labels, said=said, is_word=True
        )
    if not re.fullmatch(rf"{value}|{of_key}", stated):
        raise ParseError("the reply has no verdict that was asked for")
    return convert(stated)


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
    said: list[Any] = [each[_CLASSES] for each in objects(reply) if _CLASSES in each]
    found = {_classes(each) for each in said or _FAILURE_LIST.findall(reply)}
    if not found:
        raise ParseError("the reply does not say which failures it saw, or that it saw none")
    if len(found) > 1:
        raise ParseError("the reply has different lists of failures")
    return found.pop()


def _classes(said: Any) -> tuple[str, ...]:
    """Return the classes that a list or a text names, in the order of `FAILURES`."""
    items = said if isinstance(said, list) else re.split(r"[,;/|]|\band\b", str(said or ""))
    names = {" ".join(re.findall(r"[^\W_]+", str(each).casefold())) for each in items}
    names = {re.sub(r"(?: (?:errors?|failures?|issues?))$|(?<=step)s$", "", each) for each in names}
    names -= _NO_FAILURE
    if not names <= set(FAILURES):
        raise ParseError("the reply names a failure that is not in the list")
    return tuple(each for each in FAILURES if each in names)
