"""The operations that answer a question from a snippet (paper 001, appendix A).

As in the paper, a model is shown one example and replies with a JSON object of steps and answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from tasks.core.rows import Case, Sampling
from tasks.filings.reader.table_html import table_html
from tasks.inference.operation import Operation
from tasks.suites.tablequest.answer_image import as_images
from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer
from tasks.suites.tablequest.options import TableFormat
from tasks.suites.tablequest.snippets import in_format, write_snippet

# The context of the prompt's example, whose tables are in the format of the case.
EXAMPLE = write_snippet(
    [
        "The port's income is shown below, in thousands of dollars.",
        table_html(
            (
                ("", "2016", "2015"),
                ("Harbour fees", "2,400", "1,920"),
                ("Leases of sheds", "815", "790"),
            ),
            {},
        ),
    ]
)


@dataclass(frozen=True, slots=True)
class SnippetInputs:
    """The prompt's inputs: an example's snippet, the case's, and the question."""

    example: str
    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> SnippetInputs:
        """Show a case's question and its snippet, with tables in the case's format."""
        table_format = cast(TableFormat, case.variant)
        example, context = (in_format(text, table_format) for text in (EXAMPLE, context))
        return cls(example, context, case.query)


OPERATION: Operation[SnippetInputs, AnswerReading] = Operation(
    name="answer",
    template="tablequest/answer",
    inputs=SnippetInputs,
    parse=read_answer,
    sampling=Sampling(temperature=0.05, max_tokens=4096),  # the temperature is the paper's
    system="tablequest/chatbot",
    may_be_cut=True,
    cuts="context",
)
IMAGE_OPERATION = as_images(OPERATION)  # its pages are drawn from HTML
