"""The operation with which a model under test answers a case: from the document only, or not at all.

Paper 000: greedy decoding, at most 2,048 new tokens. The prompt keeps its structure where the context is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation, ParseError

NO_DOCUMENT = (
    "I cannot answer this question because the document is missing: there is no text between the document marks. "
    "Please provide the document, such as the company's annual report on Form 10-K, and ask again."
)
NOT_IN_DOCUMENT = (
    "I cannot answer this question because the document does not contain the information. Please provide a document "
    "that covers the company and the period in question, or rephrase the question."
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the prompt shows: the context's text, empty where it is missing, and the query."""

    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> Inputs:
        """Show a case: its query, and the text of its context, empty if it has none."""
        return cls(context=context, query=case.query)


def parse(reply: str) -> str:
    """The answer as it is, without outer blanks.

    Raises:
        ParseError: it is empty.
    """
    answer = reply.strip()
    if not answer:
        raise ParseError("the answer is empty")
    return answer


def rule(inputs: Inputs) -> str:
    """What the weightless reader finds in the document, or a refusal that says what is lacking."""
    if not inputs.context.strip():
        return NO_DOCUMENT
    return _read(inputs) or NOT_IN_DOCUMENT


def bold_rule(inputs: Inputs) -> str:
    """The same from a reader that takes whatever fits best for the answer; it refuses where nothing fits at all."""
    if not inputs.context.strip():
        return NO_DOCUMENT
    return _read(inputs, is_bold=True) or NOT_IN_DOCUMENT


def _read(inputs: Inputs, *, is_bold: bool = False) -> str | None:
    from tasks.suites.failsafeqa.rules.reader import read  # here: a run that asks a model starts without it

    return read(inputs.context, inputs.query, is_bold=is_bold)


OPERATION: Operation[Inputs, str] = Operation(
    name="answer",
    template="failsafeqa/grounded",
    inputs=Inputs,
    parse=parse,
    rule=rule,
    bold_rule=bold_rule,
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    may_be_cut=True,
)
