"""The rules write questions that the cells which they name prove."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tasks.baseline.tablequest import RULES
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.reader.table_html import table_html
from tasks.suites.shared.figure_match import match_figures
from tasks.suites.shared.tables.cells import read_grid, scale_for_all
from tasks.suites.tablequest.questions.proofs import prove
from tasks.suites.tablequest.questions.rounds import parse
from tasks.suites.tablequest.rows import Level
from tasks.suites.tablequest.snippets import sheets_of, write_snippet
from tasks.text.sentences import split_sentences

LEVELS = ("warmup", "easy", "medium", "hard")
SALES = write_snippet(
    [
        "Sales by product (in millions):",
        table_html(
            (
                ("", "2023", "2022", "2021"),
                ("Net sales:", "", "", ""),
                ("Pumps", "$426", "$380", "$371"),
                ("Valves", "213", "219", "190"),
                ("Seals", "61", "42", "39"),
                ("Total net sales", "$700", "$641", "$600"),
            ),
            {},
        ),
        "INCOME (in millions)",
        table_html((("", "2023", "2022"), ("Net income", "$41", "$36")), {}),
    ]
)
FALLING = write_snippet(
    [
        "Costs (in millions):",
        table_html((("", "2023", "2022", "2021"), ("Rent", "$160", "$190", "$200")), {}),
    ]
)


@dataclass(frozen=True)
class Shown:
    """What a writer is shown."""

    context: str
    company: str = "Orlen Corp."
    year: str = "2023"
    earlier: str = ""


def _written(level: str, shown: Shown) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(RULES[f"write_{level}"].reply(shown))
    return reply


def _all_written(level: str, context: str) -> Iterator[dict[str, Any]]:
    """Ask again and again, each time for another question."""
    earlier = ""
    while (reply := _written(level, Shown(context, earlier=earlier)))["question"]:
        yield reply
        earlier += f"{reply['question']} {reply['answer']}\n"


def test_asks_what_a_reader_would_ask() -> None:
    easy = [reply["question"] for reply in _all_written("easy", SALES)]
    lead = "According to the table under “Sales by product” from Orlen Corp.’s annual report, "
    assert f"{lead}what amount is shown for “Pumps” in 2023?" in easy
    assert f"{lead}what amount is shown for “Total net sales” in 2021?" in easy
    medium = {reply["question"]: reply["answer"] for reply in _all_written("medium", SALES)}
    growth = f"{lead}by what percentage did “Total net sales” increase from 2021 to 2022?"
    assert medium[growth] == "6.8%"
    share = f"{lead}what percentage of “Total net sales” did “Seals” make up in 2023?"
    assert medium[share] == "8.7%"
    average = f"{lead}what was the average of “Total net sales” over 2021, 2022 and 2023?"
    assert medium[average] == "$647 million"
    both = f"{lead}what was the combined amount of “Pumps” and “Seals” in 2022?"
    assert medium[both] == "$422 million"


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_all_questions_are_proved(level: Level) -> None:
    for reply in _all_written(level, SALES):
        proof = prove(level, parse(json.dumps(reply), level), SALES)
        assert proof.proved, (reply, proof)


def test_replies_name_cells_and_calculation() -> None:
    (reply,) = [
        each
        for each in _all_written("medium", SALES)
        if "percentage did “Net income” increase" in each["question"]
    ]
    assert reply["calculation"] == "(A - B) / B * 100"
    assert reply["cells"] == [
        {"name": "A", "table": 2, "row": "Net income", "column": "2023", "value": "$41"},
        {"name": "B", "table": 2, "row": "Net income", "column": "2022", "value": "$36"},
    ]
    assert reply["answer"] == "13.9%"
    assert "A = “Net income” in 2023: $41 million" in reply["steps"]


def test_a_result_that_a_cell_states_is_no_calculation() -> None:
    rows = (("", "2023", "2022"), ("Net sales", "$110", "$100"), ("Growth in net sales", "10%", ""))
    snippet = write_snippet(["Results (in millions):", table_html(rows, {})])
    answers = [reply["answer"] for reply in _all_written("medium", snippet)]
    assert answers == ["$10 million"]  # and not 10.0%


def test_what_was_asked_before_is_not_asked_again() -> None:
    for level in LEVELS:
        asked = [reply["question"] for reply in _all_written(level, SALES)]
        assert len(asked) == len(set(asked)) > 1


def test_prefers_rows_that_were_not_asked_for() -> None:
    easy = _written("easy", Shown(SALES))
    again = _written("medium", Shown(SALES, earlier=f"{easy['question']} {easy['answer']}"))
    assert easy["cells"][0]["row"] not in [cell["row"] for cell in again["cells"]]


def test_the_same_snippet_gets_the_same_question() -> None:
    assert _written("hard", Shown(SALES)) == _written("hard", Shown(SALES))


def test_analyses_have_less_than_three_sentences() -> None:
    for reply in _all_written("hard", SALES):
        assert len(split_sentences(reply["answer"])) < 3
        assert len(reply["cells"]) >= 3


@pytest.mark.parametrize("company", ["", "ORLEN, INC. ORLEN HOLDINGS, L.P."])
def test_an_unclear_company_is_not_named(company: str) -> None:
    question = _written("easy", Shown(SALES, company=company))["question"]
    assert " from the company’s annual report, what amount" in question


def test_a_snippet_without_certain_figures_gets_a_reason() -> None:
    names = table_html((("", "Age"), ("Alex Stone", "60"), ("Kim Wood", "51")), {})
    for level in LEVELS:
        reply = _written(level, Shown(write_snippet(["Directors and officers:", names])))
        assert reply["question"] == reply["answer"] == ""
        assert "certain" in reply["reason"]


# --- proofs --------------------------------------------------------------------------------


def _snippets(filing: ParsedFiling) -> Iterator[str]:
    """Show each table with the paragraph before it and, if it has one, its scale."""
    for table in filing.tables:
        words = "whole dollars" if table.scale == "ones" else table.scale
        scale = f"(in {words})" if words else ""
        if table.html:
            before = " ".join(f"{table.pre_text} {scale}".split())
            yield write_snippet([before or "Figures", table.html])


def _prove(level: str, context: str, reply: dict[str, Any]) -> None:
    """Compute an answer again from the cells that the reply names."""
    sheets = sheets_of(context)
    usual = scale_for_all(sheets)
    values: dict[str, Decimal] = {}
    for named in reply["cells"]:
        sheet = sheets[named["table"] - 1]
        grid = read_grid(sheet, usual)
        (cell,) = [
            cell
            for (r, c), cell in grid.cells.items()
            if sheet.cells[r][0] == named["row"]
            and grid.columns[c].text == named["column"]
            and cell.text == named["value"]
        ]
        values[named["name"]] = cell.value
    if level == "hard":
        return
    value = eval(reply.get("calculation") or "A", {}, values)
    answer = reply["answer"]
    unit = "%" if answer.endswith("%") else " shares" if answer.endswith(" shares") else ""
    sign = "-" if value < 0 else ""
    symbol = "$" if "$" in answer else ""
    assert match_figures(f"{sign}{symbol}{abs(value):.4f}{unit}", answer).correct, reply


def _prove_all(filing: ParsedFiling) -> int:
    n_proved = 0
    for context in _snippets(filing):
        for level in LEVELS[1:]:
            reply = _written(level, Shown(context))
            if reply["question"]:
                _prove(level, context, reply)
                n_proved += 1
    return n_proved


@pytest.mark.parametrize(
    ("name", "fewest"),
    [("brackwater-2018.htm", 25), ("quillstone-2023.htm", 15), ("tillamere-1997.txt", 15)],
)
def test_questions_on_the_samples_are_proved(name: str, fewest: int) -> None:
    data = Path("tasks/filings/samples", name).read_bytes()
    assert _prove_all(parse_filing(data, name)) >= fewest


@pytest.mark.parametrize("name", ["aeroflex_1995_main.txt", "reac_2015_main.htm"])
def test_questions_on_real_filings_are_proved(shared: Path, name: str) -> None:
    assert _prove_all(parse_filing((shared / "filings" / name).read_bytes(), name)) >= 10


def test_steps_say_by_their_sign_what_fell() -> None:
    (fall,) = (each for each in _all_written("hard", FALLING) if "annual" in each["question"])
    assert fall["steps"].endswith(
        "(C - A) / A * 100 = -20.0%; (B - A) / A * 100 = -5.0%; (C - B) / B * 100 = -15.8%."
    )
    assert "fell by 20.0%, from $200 million to $160 million" in fall["answer"]


def test_analyses_ask_for_all_that_their_answers_state() -> None:
    replies = {reply["question"]: reply["answer"] for reply in _all_written("hard", SALES)}
    trends = [question for question in replies if "annual changes" in question]
    assert trends
    assert all(question.endswith("larger in percent?") for question in trends)
    rows = (("", "2023", "2022"), ("Net sales", "$700", "$641"), ("Net income", "41", "36"))
    title = "CONSOLIDATED STATEMENTS OF INCOME (in millions)"
    snippet = write_snippet([title, table_html(rows, {})])
    (race,) = (each for each in _all_written("hard", snippet) if "grew faster" in each["question"])
    assert race["question"].endswith(
        "“Net sales” or “Net income”, and by what percentage did each grow?"
    )
    assert race["answer"] == "“Net income” grew faster, by 13.9% against 9.2% for “Net sales”."
