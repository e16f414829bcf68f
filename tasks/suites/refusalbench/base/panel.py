"""The panel: models that must all answer a base question right before it is perturbed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.core.ids import stable_id
from tasks.core.rows import Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Engine, Operation, Question
from tasks.inference.replies import ParseError
from tasks.inference.schemas import closed, text
from tasks.suites.refusalbench.base.answers import is_right
from tasks.suites.refusalbench.passages import shown_text
from tasks.suites.refusalbench.rows import BaseAnswer, BaseQuestion
from tasks.suites.suite import Role
from tasks.text.json_replies import objects

PANEL = Role(
    name="base_panel",
    help="Models that must answer a question right before it is perturbed; none by default.",
    default=(),
    most=None,
)
_MOST_CHARS = 200  # of an answer


@dataclass(frozen=True, slots=True)
class BaseInputs:
    """The prompt's inputs: the unperturbed passages, and the question."""

    context: str
    query: str


def parse(reply: str) -> str:
    """Read the answer of a reply's JSON object.

    Raises:
        ParseError: there is none, or there are several.
    """
    found = {str(each["answer"]).strip() for each in objects(reply) if "answer" in each}
    if len(found) != 1:
        raise ParseError("the reply gives several answers" if found else "the reply has no answer")
    (answer,) = found
    if not 0 < len(answer) <= _MOST_CHARS:
        raise ParseError(f"the answer is empty or longer than {_MOST_CHARS} characters")
    return answer


ANSWER_BASE: Operation[BaseInputs, str] = Operation(
    name="panel_answer",
    template="refusalbench/panel_answer",
    inputs=BaseInputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(answer=text(_MOST_CHARS)),
)


def answer_base(questions: Sequence[BaseQuestion], panel: Sequence[Engine]) -> Iterator[BaseAnswer]:
    """Have each model of the panel answer each question unperturbed."""
    asked = [
        Question(
            question.base_question_id,
            BaseInputs(shown_text([each.text for each in question.passages]), question.query),
        )
        for question in questions
    ]
    for engine in panel:
        for question, reply in zip(questions, ask(engine, ANSWER_BASE, asked), strict=True):
            value = reply.value
            yield BaseAnswer(
                base_answer_id=stable_id("base answer", question.base_question_id, engine.model),
                base_question_id=question.base_question_id,
                model=engine.model,
                answer=value,
                is_right=None
                if value is None
                else bool(is_right(value, question.answers, question.query)),
                unread_reason=reply.error if value is None else None,
                request_id=reply.request.request_id,
            )
