"""The reader answers from the words of question and tables alone."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from tasks.baseline.tablequest import RULES
from tasks.baseline.tablequest.reader import NOT_FOUND
from tasks.filings.reader.table_html import table_html
from tasks.suites.tablequest.snippets import write_snippet

RESULTS = write_snippet(
    [
        "Results of operations (in millions):",
        table_html(
            (
                ("", "2023", "2022", "2021"),
                ("Pump sales", "$426", "$380", "$371"),
                ("Valve sales", "213", "219", "190"),
                ("Total net sales", "$639", "$599", "$561"),
                ("Gross margin percentage", "33.1%", "31.0%", "30.4%"),
            ),
            {},
        ),
    ]
)


@dataclass(frozen=True)
class Shown:
    """What the reader is shown."""

    context: str
    query: str


def _answer(query: str, operation: str = "answer") -> str:
    reply = json.loads(RULES[operation].reply(Shown(RESULTS, query)))
    assert reply.keys() == {"steps", "answer"}
    return str(reply["answer"])


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("What were total net sales in 2022?", "$599 million"),
        ("How much revenue came from valve sales in 2021?", "$190 million"),
        ("What was the gross margin percentage in 2023?", "33.1%"),
        ("By what percentage did pump sales increase from 2021 to 2023?", "14.8%"),
        ("By what percentage did valve sales decrease from 2022 to 2023?", "2.7%"),
        ("What was the percentage change in valve sales from 2022 to 2023?", "-2.7%"),
        ("By how much did total net sales grow between 2021 and 2022?", "$38 million"),
        ("What share of total net sales did pump sales account for in 2023?", "66.7%"),
        ("What was the sum of pump sales and valve sales in 2021?", "$561 million"),
        ("By how much did pump sales exceed valve sales in 2022?", "$161 million"),
        ("What was the average of pump sales over 2021, 2022 and 2023?", "$392 million"),
    ],
)
def test_reads_a_cell_or_computes_from_cells(query: str, answer: str) -> None:
    assert _answer(query) == answer


def test_states_figures_where_an_analysis_is_asked_for() -> None:
    answer = _answer("How did pump sales develop from 2021 to 2023, and why?")
    assert answer.startswith("Pump sales: ")
    assert "$426 million" in answer
    assert "$371 million" in answer
    assert "up 14.8%" in answer


def test_says_so_if_nothing_is_found() -> None:
    assert _answer("Who chairs the board?") == NOT_FOUND
    assert _answer("How does the board work?") == NOT_FOUND


@pytest.mark.parametrize("operation", ["rederive", "answer_markdown", "answer_csv"])
def test_all_operations_of_answering_read_alike(operation: str) -> None:
    query = "What were total net sales in 2022?"
    assert _answer(query, operation) == _answer(query)
