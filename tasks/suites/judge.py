"""The one judge: what judges are given, how a model is asked for a verdict, and why there is none.

A suite gives a prompt, a schema and what a verdict means. What is judged must not be able to change
its own verdict:

- It comes last, between lines with a mark that is a hash of it (`shown`), so it cannot end its
  fence early.
- No text that a judge is shown gives a value to a key that the schema has options for. So a judge
  that quotes an answer copies no verdict.
- Two different verdicts are none: the judge is asked once more, and then the answer is unscored.

Judges are tested too: by the same answers again, by other judges, and by a set of attacks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any, Literal, TypeVar

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Judgement, QAPair, Request, Response, Sampling
from tasks.inference.client import ask_each
from tasks.inference.operation import NOT_IMPORTED_TYPE, Engine, Operation, Question, Reply
from tasks.inference.prompts import fence_of
from tasks.inference.replies import ParseError, key_of_value, read_value
from tasks.text.json_replies import objects

Inputs = TypeVar("Inputs")

CUT_OFF = "the verdict was cut off"
JUDGE_FAILED = "the judge did not answer"
_NO_ANSWER = "the model did not answer"
# Label of a reply that no judge could read: it counts as wrong in every suite and every metric.
UNREADABLE = "unreadable"
NO_IMPORTED_ANSWER = f"{_NO_ANSWER}: {NOT_IMPORTED_TYPE}"  # why an unanswered case is unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One case, its pair, and a model's answer or failure to answer, as a judge gets it."""

    case: Case
    pair: QAPair
    request: Request
    response: Response
    judge: str  # its name
    context: str = ""  # the text that it reads (`Judge.reads`)
    occasion: int = 0  # 1 when it judges again
    other: Answered | None = None  # another model's answer that it is compared with, shown second

    @property
    def text(self) -> str:
        """The answer's text; empty if the model gave none."""
        return self.response.text or ""

    @property
    def answers(self) -> tuple[Answered, ...]:
        """The one answer, or the two that are compared, in the order in which they are shown."""
        return (self,) if self.other is None else (self, self.other)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that answered."""
        return tuple(answer.request.model for answer in self.answers)

    @property
    def subject_id(self) -> str:
        """Subject id of a judge's call about it."""
        return " ".join(answer.request.request_id for answer in self.answers)

    def question(self, inputs: Any) -> Question[Any]:
        """Ask a judge about it; when it judges again, that is a call of its own."""
        return Question(self.subject_id, inputs, self.case.case_id, self.occasion)

    def judgement(self, **verdict: Any) -> Judgement:
        """Make the judge's row about it; `verdict` is the rest of the row's columns."""
        request_ids = [answer.request.request_id for answer in self.answers]
        other = self.other.request if self.other else None
        return Judgement(
            judgement_id=stable_id("judgement", *request_ids, self.judge),
            request_id=self.request.request_id,
            other_request_id=other.request_id if other else None,
            case_id=self.case.case_id,
            model=self.request.model,
            other_model=other.model if other else None,
            judge=self.judge,
            **verdict,
        )

    def unreadable(self, reason: str, details: str | None = None) -> Judgement:
        """Judge an empty or unreadable reply wrong, with the reason as its rationale."""
        return self.judgement(label=UNREADABLE, rationale=reason, details=details)


Unit = Literal["answer", "two answers"]


def units_of(unit: Unit, answered: Sequence[Answered]) -> list[Answered]:
    """List what a judge is given: answers, or each two answers to one case in both orders."""
    if unit == "answer":
        return list(answered)
    same_case: dict[str, list[Answered]] = {}
    for answer in answered:
        same_case.setdefault(answer.case.case_id, []).append(answer)
    return [
        replace(first, other=second)
        for same in same_case.values()
        for first, second in permutations(same, 2)
    ]


def why_no_answer(response: Response) -> str | None:
    """Return why there is nothing to judge, from a closed set; None if the model answered."""
    if response.status == "ok":
        return None
    return f"{_NO_ANSWER}: {response.error_type or response.status}"


# --- asked for a verdict ---------------------------------------------------------------------


def judged(
    things: Sequence[Answered],
    engine: Engine | None,
    asked_of: Callable[[Answered], tuple[Operation[Any, Any], Any] | Judgement],
    columns_of: Callable[[Answered, Reply[Any]], Mapping[str, Any]],
) -> Iterator[Judgement]:
    """Yield one judgement per thing, in order; a judge sees no answer that failed.

    Args:
        asked_of: the operation and its inputs, or the judgement if no model has to be asked.
        columns_of: (thing, reply) -> what the verdict means in the row's columns.
    """
    assert engine is not None  # only a model can be such a judge
    pairs = [(thing, asked_of(thing)) for thing in things]
    questions = [
        (question[0], thing.question(question[1]))
        for thing, question in pairs
        if not isinstance(question, Judgement) and _missing(thing) is None
    ]
    replies = ask_all(engine, questions)
    for thing, question in pairs:
        if isinstance(question, Judgement):
            yield question
        elif (reason := _missing(thing)) is not None:
            yield thing.judgement(unscored_reason=reason)
        else:
            reply = replies[thing.subject_id]
            details = {
                "unscored_reason": unscored_reason(reply),
                "rationale": reply.response.text,
                "judge_request_id": reply.request.request_id,
            }
            yield thing.judgement(**details | dict(columns_of(thing, reply)))


def ask_all(
    engine: Engine, questions: Sequence[tuple[Operation[Any, Any], Question[Any]]]
) -> dict[str, Reply[Any]]:
    """Ask questions, those of one operation together; return the replies by subject."""
    by_operation: dict[str, tuple[Operation[Any, Any], list[Question[Any]]]] = {}
    for operation, question in questions:
        by_operation.setdefault(operation.name, (operation, []))[1].append(question)
    replies = ask_each(engine, list(by_operation.values()))
    return {reply.subject_id: reply for some in replies for reply in some}


def unscored_reason(reply: Reply[Any]) -> str | None:
    """Return why a verdict cannot be read, from a closed set that can be counted, or None."""
    if reply.value is not None:
        return None
    if reply.response.status != "ok" or reply.response.text is None:
        return f"{JUDGE_FAILED}: {reply.response.error_type or reply.response.status}"
    return CUT_OFF if reply.response.finish_reason == "length" else reply.error


def _missing(thing: Answered) -> str | None:
    """Return why there is nothing to judge; None if all answers are there."""
    return next(filter(None, (why_no_answer(answer.response) for answer in thing.answers)), None)


# --- prompt and verdict ----------------------------------------------------------------------


def shown(
    inputs: Callable[..., Inputs],
    schema: Mapping[str, Any],
    answers: Collection[str] | None = None,
    **texts: str,
) -> Inputs:
    """Make a judge's inputs, of which no text gives a verdict or ends a fence.

    Args:
        answers: the texts under judgement, which `fence` is a hash of; None: `answer`.
    """
    harmless = {name: without_verdicts(text, schema) for name, text in texts.items()}
    return inputs(**harmless, fence=fence_of(*(harmless[name] for name in answers or ("answer",))))


def without_verdicts(text: str, schema: Mapping[str, Any]) -> str:
    """Return a text in which no key of a verdict has a value: `rating_: 6`."""
    whole = text.replace("\\u", "\\ u")  # JSON would read an escaped letter of a key
    return key_of_value("|".join(_chosen(schema))).sub(r"\1_", whole)


def verdict_operation(
    template: str, inputs: type[Any], schema: Mapping[str, Any], sampling: Sampling
) -> Operation[Any, dict[str, Any]]:
    """Build a judge's operation; `judge_` and the template's file give its name."""
    name = f"judge_{template.partition('/')[2].removeprefix('judge_')}"
    parse = partial(read_verdict, schema=schema)
    return Operation(name, template, inputs, parse, sampling, schema=schema)


def read_verdict(reply: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a reply gives the keys that a schema has options for.

    Raises:
        ParseError: it gives one of them none of its options, or different ones.
    """
    return {
        key: _read_list(reply, key, described["items"]["enum"])
        if described.get("type") == "array"
        else read_value(reply, key, {str(option): option for option in described["enum"]})
        for key, described in _chosen(schema).items()
    }


def _chosen(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the keys whose values are chosen, and not written as a text."""
    keys = schema["properties"].items()
    return {key: described for key, described in keys if described.get("type") != "string"}


def _read_list(reply: str, key: str, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options that a reply's one list has, in their order."""
    lists = [item[key] for item in objects(reply) if isinstance(item.get(key), list)]
    named = [{str(name).casefold().replace("_", " ") for name in names} for names in lists]
    if not named or any(item != named[0] or not item <= {*options} for item in named):
        raise ParseError(f"the reply has no list of {key}, different ones, or others than asked")
    return tuple(option for option in options if option in named[0])
