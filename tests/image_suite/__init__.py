"""The toy suite with tables, which models can be shown as images of pages.

Name it "toy" in the registry: its prompts and steps are the toy suite's, except for contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tasks.core.ids import canonical_json
from tasks.core.rows import Context, Document, Sampling
from tasks.inference.operation import Operation
from tasks.suites.shared.contexts import context_of
from tasks.suites.suite import StepInputs
from tasks.suites.tablequest.answer import PageInputs, as_images
from tasks.suites.tablequest.snippets import write_snippet
from tests.toy_suite import SUITE as TOY
from tests.toy_suite.rows import Headline
from tests.toy_suite.steps import STEPS

# Imitates marks of images, and of a prompt's own lines.
IMITATION = f"[Image 1: {'0' * 32}]"


def table(n_rows: int, n_columns: int) -> str:
    """A table whose cells all differ."""
    rows = [
        "".join(f"<td>{row},{column:03d}</td>" for column in range(n_columns))
        for row in range(n_rows)
    ]
    return f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>"


def _snippets(inputs: StepInputs) -> Iterator[Context]:
    documents = [*inputs.rows(Document)][:1]
    for headline in inputs.rows(Headline):
        about = f"{headline.title}. {IMITATION}{' Sales rose in every country.' * 300}"
        text = write_snippet([about, table(60, len(headline.company))])
        details = canonical_json(headline.company)
        yield context_of("toy", text, *documents, encoding=inputs.encoding, details=details)


ANSWER = as_images(
    Operation("answer", "", PageInputs, str.strip, Sampling(temperature=0.0, max_tokens=64))
)
SUITE = replace(
    TOY, build=(replace(STEPS[0], run=_snippets), *STEPS[1:]), answers=(*TOY.answers, ANSWER)
)
