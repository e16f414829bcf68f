"""The rule of the recall study asks only for what a sentence states."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tasks.baseline.tablequest import RULES
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.snippets import write_snippet

SALES = write_snippet(
    [
        "Sales by product (in millions):",
        table_html(
            (
                ("", "2023", "2022", "2021"),
                ("Pumps", "$426", "$380", "$371"),
                ("Valves", "213", "219", "190"),
                ("Total net sales", "$639", "$599", "$561"),
            ),
            {},
        ),
    ]
)


@dataclass(frozen=True)
class Shown:
    """What the study's writer is shown."""

    evidence: str
    level: str
    tables: str = SALES


@pytest.mark.parametrize(
    ("level", "sentence", "is_asked"),
    [
        ("easy", "Total net sales were $639 million in 2023.", True),
        ("easy", "Total net sales of 2022 were about $0.60 billion.", True),
        ("easy", "Total net sales were $639 million.", False),  # of no year
        ("easy", "Total net sales were $639 million in 2019.", False),
        ("easy", "Total net sales were $640 million in 2023.", False),
        ("easy", "Total costs were $639 million in 2023.", False),
        ("medium", "Total net sales rose by $40 million in 2023.", True),
        ("medium", "Total net sales were $639 million in 2023.", False),
        ("hard", "Total net sales were $639 million in 2023.", False),
    ],
)
def test_a_question_is_for_a_figure_that_a_sentence_states(
    level: str, sentence: str, is_asked: bool
) -> None:
    other = "Demand in the north was high."
    reply = RULES["write_recall_question"].reply(Shown(f"{other}\n{sentence}", level))
    written = json.loads(reply)
    assert written["sentence"] == (sentence if is_asked else "")
    assert bool(written["question"]) is is_asked


def test_the_answer_is_read_from_the_table_alone() -> None:
    evidence = "Total net sales were $639 million in 2023."
    question = json.loads(RULES["write_recall_question"].reply(Shown(evidence, "easy")))["question"]

    @dataclass(frozen=True)
    class Blind:
        context: str
        query: str

    reply = json.loads(RULES["recall_answer"].reply(Blind(SALES, question)))
    assert reply["answer"] == "$639 million"
