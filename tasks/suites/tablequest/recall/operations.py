"""The operations of the recall study: a question that cites a sentence, and its blind answer.

Paper 001, appendix F. Who answers sees the table and the question alone. All levels of a table
share a prompt's prefix.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, text
from tasks.suites.tablequest.questions.fields import read_fields, text_of
from tasks.suites.tablequest.questions.verification import (
    OWN_ANSWER,
    OwnAnswer,
    RederiveInputs,
    parse_own,
)


@dataclass(frozen=True, slots=True)
class QuestionInputs:
    """The prompt's inputs: a table with the words over it, sentences by line, and a level."""

    tables: str
    evidence: str
    level: str


@dataclass(frozen=True, slots=True)
class Grounded:
    """One question, and the sentence that its writer cites; both "" if no sentence will do."""

    question: str
    sentence: str


def parse(reply: str) -> Grounded:
    """Read a question and the sentence that it cites; whitespace is normalised.

    Raises:
        ParseError: only one is there, or there are several.
    """
    names = ("question", "sentence")
    fields = read_fields(reply, names, names)
    question, sentence = (" ".join(text_of(fields[name], name).split()) for name in names)
    if bool(question) != bool(sentence):
        raise ParseError(f"the {names[bool(question)]} of the reply is empty")
    return Grounded(question, sentence)


WRITE: Operation[QuestionInputs, Grounded] = Operation(
    name="write_recall_question",
    template="tablequest/recall_question",
    inputs=QuestionInputs,
    parse=parse,
    sampling=Sampling(temperature=0.7, max_tokens=1024),
    schema=closed(question=text(400, may_be_empty=True), sentence=text(1000, may_be_empty=True)),
)
ANSWER: Operation[RederiveInputs, OwnAnswer] = Operation(
    name="recall_answer",
    template="tablequest/recall_answer",
    inputs=RederiveInputs,
    parse=parse_own,
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    schema=OWN_ANSWER,
)
