"""The operations that answer a question from a snippet (paper 001, appendix A).

As in the paper, a model is shown one example and replies with a JSON object of steps and answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from typing import Any, cast

from tasks.core.rows import Case, Sampling
from tasks.filings.reader.table_html import table_html
from tasks.inference.operation import Operation
from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer
from tasks.suites.tablequest.options import TableFormat
from tasks.suites.tablequest.snippets import blocks_of, in_format, write_snippet

# A block that is a table and nothing else. A paragraph that only looks like one may hold any tag.
_TABLE = re.compile(
    r"<table>(?:<tr>(?:<(?P<cell>t[hd])"
    r'(?: rowspan="\d+")?(?: colspan="\d+")?>[^<>]*</(?P=cell)>)*</tr>)*</table>'
)
_STYLE = """
body { margin: 0; padding: 12px 16px; background: #fff; color: #000; }
body, table { font: 13px/20px "DejaVu Sans", Verdana, sans-serif; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 0 0 12px; line-height: 1.5; }
td, th { border: 1px solid #888; padding: .15em .4em; text-align: start; vertical-align: top; }
th { background: #eee; }
.breaks td, .breaks th { overflow-wrap: anywhere; padding: .1em .15em; }
"""


@dataclass(frozen=True, slots=True)
class PageInputs:
    """The prompt's inputs."""

    pages: str  # HTML of the snippet, shown as images
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> PageInputs:
        """Show a case's query, and its snippet as a document."""
        return cls(pages=document_of(context), query=case.query)


def as_images(answer: Operation[Any, Any]) -> Operation[Any, Any]:
    """Return the operation that asks as another one does, but shows the snippet as images."""
    return replace(
        answer,
        name="answer_image",
        template="tablequest/answer_image",
        inputs=PageInputs,
        images="pages",
        cuts=None,
    )


def document_of(snippet: str) -> str:
    """Write a snippet as an HTML document; `tasks.inference.images` cuts it into pages.

    Each paragraph and cell runs from left to right or from right to left, as its text does.
    """
    shown = [
        re.sub("<(t[dh])", r'<\1 dir="auto"', block)
        if _TABLE.fullmatch(block)
        else f'<p dir="auto">{escape(block)}</p>'
        for block in blocks_of(snippet)
    ]
    return f'<!DOCTYPE html><meta charset="utf-8"><style>{_STYLE}</style>\n' + "\n".join(shown)


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
