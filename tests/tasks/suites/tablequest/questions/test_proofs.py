"""Answers are proved from cells; a lie of any kind is found out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.suites.tablequest.questions.cells import NamedCell
from tasks.suites.tablequest.questions.proofs import (
    CELL_NOT_FOUND,
    CONTRADICTIONS,
    DEGENERATE,
    MORE_WORDS,
    NOT_COMPUTED,
    OTHER_CURRENCY,
    OTHER_FIGURE,
    OTHER_SIGN,
    OTHER_UNIT,
    ROUNDED,
    SEVERAL_CELLS,
    SEVERAL_FIGURES,
    STATED,
    UNCLEAR_SCALE,
    Proof,
    prove,
)
from tasks.suites.tablequest.questions.rounds import WrittenQuestion
from tasks.suites.tablequest.snippets import write_snippet
from tests.table_snippets import table_of

INCOME = table_of(
    [
        ("", "2021", "2020"),
        ("Net sales", "$1,250", "$1,291"),
        ("Cost of sales", "820", "905"),
        ("Restructuring", "(14)", "3"),
        ("Gross margin", "34.4%", "29.9%"),
        ("Shares outstanding (in thousands)", "41,300", "40,900"),
        ("Earnings per share", "$2.05", "$1.71"),
        ("Fee income", "7", "7"),
    ]
)
PLACES = table_of(
    [
        ("", "Place", "Square feet", "Square feet"),
        ("Plant", "Oslo", "12,000", "12,000"),
        ("Depot", "Kiel (leased)", "—", "900"),
        ("Depot", "Bergen", "700", "800"),
    ]
)
TEXT = write_snippet(
    ["Results of operations (in millions, except per share amounts)", INCOME, "Properties", PLACES]
)


def cell(row: str, column: str, value: str, name: str = "A", table: int = 1) -> NamedCell:
    return NamedCell(name, table, row, column, value)


SALES, SALES_BEFORE = cell("Net sales", "2021", "$1,250"), cell("Net sales", "2020", "$1,291", "B")
COST = cell("Cost of sales", "2021", "820", "B")
MARGIN = cell("Gross margin", "2021", "34.4%")
MARGIN_BEFORE = cell("Gross margin", "2020", "29.9%", "B")
SHARES = cell("Shares outstanding (in thousands)", "2021", "41,300", "B")
LOSS = cell("Restructuring", "2021", "(14)")


def easy(
    answer: str, named: NamedCell = SALES, question: str = "What were net sales in 2021?"
) -> Proof:
    return prove("easy", WrittenQuestion(question, answer, cells=(named,)), TEXT)


def medium(calculation: str | None, answer: str, *cells: NamedCell, question: str = "") -> Proof:
    question = question or " ".join(f"{each.row}, {each.column};" for each in cells)
    return prove("medium", WrittenQuestion(question, answer, "", cells, calculation), TEXT)


# --- easy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "named", "question"),
    [
        ("$1,250 million", SALES, "What were net sales in 2021?"),
        ("$1.25 billion", replace(SALES, value="1250"), "What were net sales in 2021?"),
        ("34.4%", MARGIN, "What was the gross margin in 2021?"),
        ("-$14 million", LOSS, "Restructuring in 2021?"),
        ("$2.05", cell("Earnings per share", "2021", "$2.05"), "Earnings per share in 2021?"),
        ("oslo", cell("Plant", "Place", "Oslo", table=2), "In which place is the plant?"),
    ],
)
def test_what_its_cell_says_is_an_easy_answer(answer: str, named: NamedCell, question: str) -> None:
    proof = easy(answer, named, question)
    assert (proof.proved, proof.reason, proof.detail) == (True, None, "")
    assert len(proof.operands) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("$1,300 million", OTHER_FIGURE),  # rounded
        ("1,250%", OTHER_UNIT),
        ("€1,250 million", OTHER_CURRENCY),
        ("$1,250 million or $1,251 million", SEVERAL_FIGURES),
    ],
)
def test_any_other_value_contradicts_its_cell(answer: str, reason: str) -> None:
    proof = easy(answer)
    assert (proof.proved, proof.reason) == (False, reason)
    assert proof.detail
    assert reason in CONTRADICTIONS


SEGMENTS = table_of(
    [
        ("", "Twelve months ended Jun 30, 2021", "Twelve months ended Mar. 31, 2021"),
        ("Americas", "", ""),
        ("Operating income", "40", "150"),
        ("Europe", "", ""),
        ("Operating income", "$40", "90"),
        ("Operating income before rent", "45", "105"),
        ("Total operating income", "80", "240"),
    ]
)


@pytest.mark.parametrize(
    ("question", "row", "value", "is_proved"),
    [
        ("What was operating income in the twelve months ended March 31, 2021?",
         "Europe Operating income", "90", False),
        ("What was Europe's operating income in 2021?", "Europe Operating income", "90", False),
        ("What was Europe's operating income in the twelve months ended March 31, 2021?",
         "Europe Operating income", "90", True),
        ("What was operating income before rent in the twelve months to March 2021?",
         "Operating income before rent", "105", True),
        ("What was total operating income in the twelve months to March 2021?",
         "Total operating income", "240", True),
    ],
)  # fmt: skip
def test_a_question_names_row_section_and_column(
    question: str, row: str, value: str, is_proved: bool
) -> None:
    text = write_snippet(["Segments (in millions)", SEGMENTS])
    named = NamedCell("A", 1, row, "Twelve months ended March 31, 2021", value)
    proof = prove("easy", WrittenQuestion(question, f"${value} million", cells=(named,)), text)
    assert proof.reason == (None if is_proved else SEVERAL_CELLS)


HOLDINGS = ",2021,,2021;Oslo,70,Bonn,80;Bonds,20,Rome,60;Rate,6,Kiel,50;Loans,10,Cork,20;Rate,5,Lodz,3;Hedged,7,Nice,40;Not hedged,9,Bari,4;Total,112,,"  # noqa: E501


@pytest.mark.parametrize(
    ("question", "row", "value"),
    [
        ("What was held in Oslo in 2021?", "Oslo", "70"),  # and not what is named beside it
        ("What was the rate of bonds in 2021?", "Rate", "6"),
        ("What was hedged in 2021?", "Hedged", "7"),
        ("How much did it hold in 2021?", "Total", "112"),
    ],
)
def test_a_question_need_not_say_what_no_reader_would_ask(question, row, value) -> None:
    text = write_snippet(["Holdings", table_of([line.split(",") for line in HOLDINGS.split(";")])])
    written = WrittenQuestion(question, value, cells=(cell(row, "2021", value),))
    assert prove("easy", written, text).proved


# --- medium ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calculation", "answer", "cells"),
    [
        ("A - B", "-$41 million", (SALES, SALES_BEFORE)),
        ("(A - B) / B * 100", "-3.2%", (SALES, SALES_BEFORE)),
        ("100 * B / A", "65.6%", (SALES, COST)),
        ("A / B", "1.52x", (SALES, COST)),
        ("A - B", "4.5 percentage points", (MARGIN, MARGIN_BEFORE)),
        ("C / ((A + B) / 2)", "64.5%", (SALES, SALES_BEFORE, replace(COST, name="C"))),
        ("A / B", "$30.27", (SALES, SHARES)),
        ("A * B", "$84.67 million", (cell("Earnings per share", "2021", "$2.05"), SHARES)),
        ("A / B * 100 - C / D * 100", "-4.5 percentage points",
         (replace(COST, name="A"), replace(SALES, name="B"),
          cell("Cost of sales", "2020", "905", "C"), cell("Net sales", "2020", "1,291", "D"))),
    ],
)  # fmt: skip
def test_a_calculation_that_gives_the_answer_proves_it(
    calculation: str, answer: str, cells: tuple[NamedCell, ...]
) -> None:
    proof = medium(calculation, answer, *cells)
    assert (proof.proved, proof.reason, proof.detail) == (True, None, "")
    assert len(proof.operands) == len(cells)


BOTH = (SALES, SALES_BEFORE)


@pytest.mark.parametrize(
    ("calculation", "answer", "cells", "reason"),
    [
        ("A - B", "-$42 million", BOTH, OTHER_FIGURE),
        ("A / B * 100", "1.12%", (LOSS, replace(SALES, name="B")), OTHER_SIGN),
        ("A - B", "between $40 million and $42 million", BOTH, SEVERAL_FIGURES),
        ("A * 1", "$1,250 million", (SALES,), STATED),
        ("A - B", "$41 million", (SALES, replace(SALES_BEFORE, value="1,290")), CELL_NOT_FOUND),
        # neither proved nor contradicted
        ("subtract B from A", "-$41 million", BOTH, NOT_COMPUTED),
        ("A / (B - B)", "-$41 million", BOTH, NOT_COMPUTED),
        ("A + B", "$41 million", (SALES, replace(MARGIN, name="B")), NOT_COMPUTED),
        ("(A + B) * 0.79", "$2,007.39 million", BOTH, DEGENERATE),
        ("(A - B) / B * 100", "-3.2 percentage points", BOTH, OTHER_UNIT),
        ("A - B", "4.5%", (MARGIN, MARGIN_BEFORE), OTHER_UNIT),
        ("A / 2", "$625 million", (SALES,), DEGENERATE),
        ("A + A", "$2,500 million", BOTH, DEGENERATE),
        ("A / B", "$30.27 per common share held", (SALES, SHARES), MORE_WORDS),
        ("A + B", "$3 billion", BOTH, ROUNDED),
    ],
)
def test_a_calculation_that_gives_anything_else_does_not(
    calculation: str | None, answer: str, cells: tuple[NamedCell, ...], reason: str
) -> None:
    proof = medium(calculation, answer, *cells)
    assert (proof.proved, proof.reason) == (False, reason)


def test_a_table_beside_scaled_ones_is_not_taken_for_ones() -> None:
    rows = [("", "2021", "2020"), ("Capital", "$1,200", "$1,000")]
    text = write_snippet([TEXT, "Capital", table_of(rows)])
    cells = (cell("Capital", "2021", "1200", "A", 3), cell("Capital", "2020", "1000", "B", 3))
    for answer, calculation, reason in (("$200", "A - B", UNCLEAR_SCALE), ("120%", "A / B", None)):
        question = WrittenQuestion("Capital, 2020 to 2021?", answer, "", cells, calculation)
        assert prove("medium", question, text).reason == reason


def test_words_years_and_analyses_are_not_computed() -> None:
    for answer in ("Freight", "2021", "fiscal 2020"):
        assert medium("A - B", answer, SALES).proved is None
    assert prove("hard", WrittenQuestion("Why?", "It fell.", "1 + 1 = 3"), TEXT) == Proof()
    assert prove("warmup", WrittenQuestion("Why?", "It fell."), TEXT) == Proof()


def test_an_amount_of_a_table_without_signs_takes_the_currency_of_the_snippet() -> None:
    rows = [("", "2021", "2020"), ("Backlog", "700", "650")]
    cells = (cell("Backlog", "2021", "700"), cell("Backlog", "2020", "650", "B"))
    asks = "By how much did backlog grow from 2020 to 2021?"
    for before, reason in (
        ("Backlog (in thousands of dollars)", None),
        ("Backlog (in thousands)", OTHER_CURRENCY),
        ("Backlog (in thousands of euros)", OTHER_CURRENCY),
    ):
        text = write_snippet([before, table_of(rows)])
        question = WrittenQuestion(asks, "$50 thousand", "", cells, "A - B")
        assert prove("medium", question, text).reason == reason
