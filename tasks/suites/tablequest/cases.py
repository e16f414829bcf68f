"""Cases of TableQuest: each question once in each format of tables (`--table-format`).

A case's variant is its format. Cases of a question differ in nothing else: they have one context,
whose tables are in HTML, and the operation that asks a case rewrites them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tasks.core.rejects import reject_of
from tasks.core.rows import Case, QAPair, Reject
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.suite import Step, StepInputs

NOT_ASKED = "only a model can judge a hard question: --hard --judge critique=MODEL asks it"


def build_cases(inputs: StepInputs) -> Iterator[Case | Reject]:
    """Make a case for each pair and format, or a reject of a hard one that is not asked."""
    for pair in inputs.rows(QAPair):
        if pair.task == "hard" and not inputs.options.hard:
            key = ("cases", pair.qa_pair_id)
            yield reject_of("cases", pair.qa_pair_id, NOT_ASKED, pair.query, key=key)
            continue
        # The id of a case in HTML is that of the only case that releases before formats have.
        in_html = replace(case_of(pair, inputs.suite), variant="html")
        for table_format in inputs.options.table_format:
            yield in_html if table_format == "html" else varied(in_html, table_format)


# The step keeps its name of that time: under another one, a lake would hold both steps' cases.
STEP = Step(
    name="cases.baseline",
    version=3,
    run=build_cases,
    writes=(Case,),
    reads=("qa_pairs",),
    options=("table_format", "hard"),
)
