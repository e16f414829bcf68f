"""Rules write questions that their cells prove, and find the cells that a question names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tasks.baseline.tablequest import RULES
from tasks.filings.reader.table_html import table_html
from tasks.suites.shared.figure_match import match_figures
from tasks.suites.tablequest.questions.proofs import prove
from tasks.suites.tablequest.questions.rounds import parse
from tasks.suites.tablequest.rows import Level
from tasks.suites.tablequest.snippets import in_format, write_snippet
from tests.some import some

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
    period_end: str = "2026-01-31"
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
    assert easy[f"{lead} what figure is shown for “Valve sales” in 2021?"] == "$190 million"
    medium = {reply["question"]: reply["answer"] for reply in written("medium", SALES)}
    for question, answer in (
        ("by what percentage did “Pump sales” change from 2021 to 2022?", "2.4%"),
        ("by how much did “Valve sales” change from 2022 to 2023?", "-$6 million"),
        ("what was “Valve sales” as a percentage of “Total net sales” in 2023?", "33.3%"),
    ):
        assert medium[f"{lead} {question}"] == answer
    hard = {reply["question"]: reply["answer"] for reply in written("hard", SALES)}
    assert hard[
        f"{lead} which of “Valve sales” and “Pump sales” grew by the larger percentage "
        "from 2021 to 2022?"
    ].startswith("“Valve sales” grew more: it went from $190 million to $219 million")


def test_questions_name_section_and_date_and_compare_what_belongs_together() -> None:
    rows = (
        ("", "2027", "January 31, 2026", "February 1, 2025"),
        ("Due:", "", "", ""),
        ("Lease payments (a)", "30", "$60", "$50"),
        ("Trade payables", "20", "40", "45"),
        ("Bank loans", "5", "30", "28"),
        ("Total payments due", "55", "130", "123"),
        ("Paid:", "", "", ""),
        ("Cash dividends", "7", "9", "6"),
        ("All:", "", "", ""),
        ("Total of all", "90", "300", "290"),
        ("Bonds, rise of rates", "Loss", "9", "8"),
    )
    context = write_snippet(["Payments (in millions)", table_html(rows, {})])
    easy, medium, hard = (
        {reply["question"].partition(", ")[2]: reply["answer"] for reply in written(level, context)}
        for level in ("easy", "medium", "hard")
    )
    lease, now = "“Lease payments” (below “Due”)", "“January 31, 2026”"
    assert easy[f"what figure is shown for {lease} under “February 1, 2025”?"] == "$50 million"
    shares = [asked for asked in medium if "percentage of “Total" in asked and now in asked]
    (share,) = (asked for asked in shares if lease in asked)
    assert share == f"what was {lease} as a percentage of “Total payments due” under {now}?"
    assert "dividends" not in str(shares)
    loans = f"which of {lease} and “Bank loans” (below “Due”) grew by the larger percentage"
    assert [*hard] == [f"{loans} from “February 1, 2025” to {now}?"]
    assert "2027" not in str(easy)  # what is due then is no figure of that year
    assert "Bonds" not in str(easy)  # what of them?


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
        ("Sales", ("", "2023", "2022"), "Pump sales"),  # in millions, too?
        ("Sales (in millions)", ("", "2023", "2023"), "Pump sales"),  # which 2023?
        ("Units (in millions)", ("", "2023", "2022"), "Pump sales"),  # of which unit?
        ("Sales (in millions)", ("", "A", "B"), "Pump sales"),
        ("Sales (in millions)", ("", "2023", "2022"), "Pumps"),  # sales, or pumps?
    ],
)
def test_asks_nothing_that_is_uncertain(lead: str, head: tuple[str, ...], label: str) -> None:
    sign = "" if "Units" in lead else "$"
    rows = (head, (label, f"{sign}42", f"{sign}38"), (label.lower(), "21", "29"))
    costs = table_html((("", "A", "B"), ("Costs of", "$1", "$2")), {})
    context = write_snippet(["Costs (in millions)", costs, lead, table_html(rows, {})])
    assert not [*written("easy", context), *written("warmup", context)]
