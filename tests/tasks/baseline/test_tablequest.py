"""Rules write questions that their cells prove, and find the cells that a question names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tasks.baseline.tablequest import RULES
from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import parse_filing
from tasks.filings.reader.table_html import table_html
from tasks.suites.shared.figure_match import match_figures
from tasks.suites.tablequest.questions.proofs import prove
from tasks.suites.tablequest.questions.rounds import parse
from tasks.suites.tablequest.rows import Level
from tasks.suites.tablequest.snippets import in_format, write_snippet
from tests.some import some
from tests.table_snippets import snippet_of

SALES = write_snippet(
    [
        "Sales by product (in millions):",
        table_html(
            (
                ("", "2023", "2022", "2021"),
                ("Pump sales", "$426", "$380", "$371"),
                ("Valve sales", "213", "219", "190"),
                ("Total net sales", "$639", "$599", "$561"),
            ),
            {},
        ),
    ]
)


@dataclass(frozen=True)
class Shown:
    """What a writer is shown."""

    context: str
    company: str = "Orlen Corp."
    year: str = "2023"
    earlier: str = ""


@dataclass(frozen=True)
class Asked:
    """What a model under test is shown."""

    context: str
    query: str


def written(level: str, context: str) -> Iterator[dict[str, Any]]:
    """Ask again and again, each time for another question."""
    earlier = ""
    while True:
        reply = json.loads(RULES[f"write_{level}"].reply(Shown(context, earlier=earlier)))
        if not reply["question"]:
            return
        yield reply
        earlier += f"{reply['question']}\n"


def answered(context: str, query: str) -> str:
    return str(json.loads(RULES["answer"].reply(Asked(context, query)))["answer"])


def test_questions_of_each_level_have_the_answers_of_their_cells() -> None:
    lead = "In Orlen Corp.’s annual report,"
    easy = {reply["question"]: reply["answer"] for reply in written("easy", SALES)}
    assert len(easy) == 9
    assert easy[f"{lead} what amount is shown for “Valve sales” in 2021?"] == "$190 million"
    medium = {reply["question"]: reply["answer"] for reply in written("medium", SALES)}
    for question, answer in (
        ("by what percentage did “Pump sales” change from 2021 to 2022?", "2.4%"),
        ("by how much did “Valve sales” change from 2022 to 2023?", "-$6 million"),
        ("what was the average of “Pump sales” over 2022 and 2023?", "$403 million"),
        ("what was “Valve sales” as a percentage of “Total net sales” in 2023?", "33.3%"),
    ):
        assert medium[f"{lead} {question}"] == answer
    hard = {reply["question"]: reply["answer"] for reply in written("hard", SALES)}
    assert hard[
        f"{lead} which of “Pump sales” and “Valve sales” grew more from 2022 to 2023, relative to "
        "where it began?"
    ].startswith("“Pump sales” grew more: it went from $380 million to $426 million")


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_all_questions_are_proved_and_answered_in_each_format(level: Level) -> None:
    for reply in some(written(level, SALES)):
        assert prove(level, parse(json.dumps(reply), level), SALES).proved, reply
        for table_format in ("html", "markdown", "csv"):
            answer = answered(in_format(SALES, table_format), reply["question"])
            assert match_figures(answer, reply["answer"]).correct, (reply, answer)


@pytest.mark.parametrize(
    ("lead", "head", "label"),
    [
        ("Sales", ("", "2023", "2022"), "Pump sales"),  # no scale
        ("Sales (in millions)", ("", "2023", "2023"), "Pump sales"),  # which 2023?
        ("Sales (in millions)", ("", "A", "B"), "Pump sales"),
        ("Sales (in millions)", ("", "2023", "2022"), "Pumps"),  # sales, or pumps?
    ],
)
def test_asks_nothing_that_is_uncertain(lead: str, head: tuple[str, ...], label: str) -> None:
    rows = (head, (label, "$42", "$38"), (label.lower(), "21", "29"))
    context = write_snippet([lead, table_html(rows, {})])
    assert list(written("easy", context)) == []


def test_questions_on_real_tables_are_proved(shared: Path) -> None:
    name = "nvidia_2024_main.htm.gz"
    parsed = parse_filing(unpack((shared / "filings" / name).read_bytes()), name)
    n_proved = 0
    for table in parsed.tables[:40]:
        context = snippet_of(table, parsed.document).text
        reply = next(written("easy", context), None)
        if reply is not None:
            assert prove("easy", parse(json.dumps(reply), "easy"), context).proved
            n_proved += 1
    assert n_proved > 5
