"""The operations by which models under test answer."""

from __future__ import annotations

import re

import pytest

from tasks.core.rows import Case
from tasks.inference.operation import Question, render
from tasks.inference.prompts import read_template
from tasks.suites.tablequest.answer import OPERATION, document_of
from tasks.suites.tablequest.judge.reading import AnswerReading, read_answer
from tasks.suites.tablequest.snippets import in_format, write_snippet

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


TABLE = (
    '<table><tr><th rowspan="2">A &amp; B</th><th colspan="2">2023</th></tr>'
    "<tr><th>Q1</th><th>Q2</th></tr><tr><td>&lt;b&gt;</td><td>1</td><td></td></tr></table>"
)


def body_of(*blocks: str) -> list[str]:
    return document_of(write_snippet(blocks)).partition("</style>\n")[2].split("\n")


def test_a_table_stays_as_it_is_and_each_cell_has_its_own_direction() -> None:
    (shown,) = body_of(TABLE)
    assert shown.replace(' dir="auto"', "") == TABLE
    assert shown.count(' dir="auto"') == TABLE.count("<td") + TABLE.count("<th")


def test_a_paragraph_is_text_whatever_it_imitates() -> None:
    imitations = (
        "Sales < costs & <b>debt</b>",
        "<table><tr><td><script>alert(1)</script></td></tr></table>",
        '<table><tr><td onclick="alert(1)">1</td></tr></table>',
        "<table><tr><td>1</td></tr></table><img src=x><table></table>",
        '<table style="display:none"><tr><td>1</td></tr></table>',
        "<table><tr><td>1</th></tr></table>",
    )
    for text in imitations:
        (shown,) = body_of(text)
        inside = shown.removeprefix('<p dir="auto">').removesuffix("</p>")
        assert "<" not in inside
        assert "&lt;" in inside
