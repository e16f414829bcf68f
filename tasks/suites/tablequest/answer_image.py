"""Questions on a snippet that a model is shown as images of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from tasks.core.rows import Case
from tasks.inference.operation import Operation
from tasks.suites.tablequest.snippets import blocks_of

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
