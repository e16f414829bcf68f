"""The operations that answer a question from a snippet (paper 001, appendix A).

As in the paper, a model is shown one example and replies with a JSON object of steps and answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation
from tasks.suites.tablequest.answer_image import as_images
from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer
from tasks.suites.tablequest.snippets import in_format


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: a snippet with its tables in HTML, and the question."""

    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> Inputs:
        """Show a case's question and its snippet."""
        return cls(context=context, query=case.query)


@dataclass(frozen=True, slots=True)
class InputsInMarkdown(Inputs):
    """The same inputs, with the tables in Markdown."""

    @classmethod
    def of(cls, case: Case, context: str) -> InputsInMarkdown:
        """Show a case's question and its snippet with tables in Markdown."""
        return cls(context=in_format(context, "markdown"), query=case.query)


@dataclass(frozen=True, slots=True)
class InputsInCsv(Inputs):
    """The same inputs, with the tables as CSV."""

    @classmethod
    def of(cls, case: Case, context: str) -> InputsInCsv:
        """Show a case's question and its snippet with tables as CSV."""
        return cls(context=in_format(context, "csv"), query=case.query)


def _operation(name: str, inputs: type[Inputs]) -> Operation[Inputs, AnswerReading]:
    return Operation(
        name=name,
        template="tablequest/answer",
        inputs=inputs,
        parse=read_answer,
        sampling=Sampling(temperature=0.05, max_tokens=4096),  # the temperature is the paper's
        system="tablequest/chatbot",
        may_be_cut=True,
        cuts="context",
    )


OPERATION = _operation("answer", Inputs)
# By the format of tables, which is the variant of a case.
OPERATIONS: dict[str, Operation[Inputs, AnswerReading]] = {
    "html": OPERATION,
    "markdown": _operation("answer_markdown", InputsInMarkdown),
    "csv": _operation("answer_csv", InputsInCsv),
}
IMAGE_OPERATION = as_images(OPERATION)  # its pages are drawn from HTML
