"""The operations by which models under test answer."""

from __future__ import annotations

import re

import pytest

from tasks.core.rows import Case
from tasks.inference.operation import Question, render
from tasks.inference.prompts import read_template
from tasks.suites.tablequest.answer import OPERATION
from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer
from tasks.suites.tablequest.snippets import in_format

SNIPPET = "Ships by year.\n\n<table><tr><th>2015</th><th>2016</th></tr><tr><td>412</td><td>515</td></tr></table>"  # noqa: E501


def case(query: str, table_format: str) -> Case:
    return Case(
        case_id=query,
        qa_pair_id=query,
        suite="tablequest",
        variant=table_format,
        query=query,
        context_id="context",
        target="515",
        is_answerable=True,
    )


@pytest.mark.parametrize("table_format", ["html", "markdown", "csv"])
def test_a_snippets_questions_share_a_prefix_with_its_tables_in_the_format(table_format) -> None:
    queries = ("How many in 2016?", "And in 2015?")
    shown = [OPERATION.inputs.of(case(query, table_format), SNIPPET) for query in queries]
    calls = render(OPERATION, "m", [Question(each.query, each) for each in shown])
    assert len({call.prefix.prefix_id for call in calls}) == 1
    assert [call.inputs()["context"] for call in calls] == [in_format(SNIPPET, table_format)] * 2
    assert ("<table>" in calls[0].prompt) is (table_format == "html")
    assert [call.request.suffix.strip() for call in calls] == [f"Question: {q}" for q in queries]
    assert calls[0].request.sampling.temperature == 0.05


def test_the_prompts_example_is_read_as_an_answer() -> None:
    (reply,) = re.findall(r"^Reply: (.*)$", read_template("tablequest/answer"), re.MULTILINE)
    assert read_answer(reply) == AnswerReading("answer", "$480 thousand")
    assert OPERATION.parse(reply) == AnswerReading("answer", "$480 thousand")
