"""Answers are proved from cells; a lie of any kind is found out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.suites.tablequest.questions.named_cells import NamedCell
from tasks.suites.tablequest.questions.proofs import (
    CELL_NOT_FOUND,
    CONTRADICTIONS,
    NO_CALCULATION,
    NOT_COMPUTED,
    NOT_ONE_CELL,
    OTHER_CELL,
    OTHER_CURRENCY,
    OTHER_NUMBER,
    OTHER_SIGN,
    OTHER_TEXT,
    OTHER_UNIT,
    SEVERAL_FIGURES,
    STATED,
    WRONG_STEPS,
    Proof,
    prove,
)
from tasks.suites.tablequest.questions.rounds import Written
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
MARGIN, MARGIN_BEFORE = (
    cell("Gross margin", "2021", "34.4%"),
    cell("Gross margin", "2020", "29.9%", "B"),
)
SHARES = cell("Shares outstanding (in thousands)", "2021", "41,300", "B")


def easy(
    answer: str, named: NamedCell = SALES, question: str = "What were net sales in 2021?"
) -> Proof:
    return prove("easy", Written(question, answer, cells=(named,)), TEXT)


def medium(
    calculation: str | None, answer: str, *cells: NamedCell, steps: str = "Calculate."
) -> Proof:
    cells = cells or (SALES, SALES_BEFORE)
    rows = dict.fromkeys(named.row for named in cells)
    years = dict.fromkeys(named.column for named in cells if named.column.isdigit())
    question = f"How do {', '.join(rows)} compare on average in {' and '.join(years)}?"
    written = Written(question, answer, steps, cells, calculation)
    return prove("medium", written, TEXT)


# --- easy ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "named", "question"),
    [
        ("$1,250 million", SALES, "What were net sales in 2021?"),
        ("1,250 million", SALES, "How much were the company's sales in 2021?"),
        ("$1.25 billion", replace(SALES, row="net sales:", value="1250"), "Net sales, 2021?"),
        ("-$14 million", cell("Restructuring", "2021", "(14)"), "What was restructuring in 2021?"),
        ("($14) million", cell("Restructuring", "2021", "$ (14)"), "Restructuring in 2021?"),
        ("34.4%", MARGIN, "What was the gross margin in 2021?"),
        ("34.40 percent", replace(MARGIN, value="34.4"), "What was the gross margin in 2021?"),
        ("41,300 thousand", replace(SHARES, name="A"), "How many shares were outstanding in 2021?"),
        ("41.3 million shares", replace(SHARES, name="A"), "How many shares in 2021?"),
        ("$2.05 per share", cell("Earnings per share", "2021", "$2.05"), "What was EPS in 2021?"),
        ("Oslo", cell("Plant", "Place", "Oslo", table=2), "Where is the plant?"),
    ],
)  # fmt: skip
def test_a_cells_value_is_proved_with_scale_unit_and_sign(
    answer: str, named: NamedCell, question: str
) -> None:
    proof = easy(answer, named, question)
    assert (proof.proved, proof.reason) == (True, None)
    (operand,) = proof.operands
    assert operand.table_index == named.table


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("$1,251 million", OTHER_NUMBER),
        ("$1,291 million", OTHER_NUMBER),
        ("$1.3 billion", OTHER_NUMBER),  # rounded: this is not what the cell says
        ("$1,250", OTHER_UNIT),
        ("1,250", OTHER_UNIT),
        ("$1,250 thousand", OTHER_UNIT),
        ("$1,250 billion", OTHER_UNIT),
        ("-$1,250 million", OTHER_SIGN),
        ("($1,250 million)", OTHER_SIGN),
        ("1,250%", OTHER_UNIT),
        ("€1,250 million", OTHER_CURRENCY),
        ("1,250 million employees", OTHER_UNIT),
        ("$1,250 million or $1,251 million", SEVERAL_FIGURES),
        ("high", SEVERAL_FIGURES),
    ],
)
def test_any_other_value_is_not(answer: str, reason: str) -> None:
    proof = easy(answer)
    assert (proof.proved, proof.reason) == (False, reason)
    assert proof.detail


@pytest.mark.parametrize(
    ("answer", "named", "question", "reason"),
    [
        ("34.4", MARGIN, "What was the gross margin in 2021?", OTHER_UNIT),
        ("0.344", MARGIN, "What was the gross margin in 2021?", OTHER_UNIT),
        ("34.4 percentage points", MARGIN, "What was the gross margin in 2021?", OTHER_UNIT),
        ("$14 million", cell("Restructuring", "2021", "(14)"), "Restructuring, 2021?", OTHER_SIGN),
        ("$14 million", cell("Restructuring", "2021", "14"), "Restructuring?", CELL_NOT_FOUND),
        ("$41,300 thousand", replace(SHARES, name="A"), "Shares in 2021?", OTHER_UNIT),
        ("Bergen", cell("Plant", "Place", "Oslo", table=2), "Where is the plant?", OTHER_TEXT),
        # the label, the column, the table or the text of another cell
        ("$1,250 million", replace(SALES, row="Cost of sales"), "Net sales, 2021?", CELL_NOT_FOUND),
        ("$1,250 million", replace(SALES, column="2020"), "Net sales, 2021?", CELL_NOT_FOUND),
        ("$1,250 million", replace(SALES, table=2), "Net sales, 2021?", CELL_NOT_FOUND),
        ("$1,250 million", replace(SALES, table=7), "Net sales, 2021?", CELL_NOT_FOUND),
        ("$1,291 million", replace(SALES, value="1,291"), "Net sales, 2021?", CELL_NOT_FOUND),
        # two depots, and a cell that says nothing
        ("Kiel", cell("Depot", "Place", "Kiel", table=2), "Where is the depot?", CELL_NOT_FOUND),
        ("7", cell("Depot", "Square feet", "—", table=2), "How large is it?", CELL_NOT_FOUND),
        # the question is about another row or year
        ("$1,250 million", SALES, "What were net sales in 2020?", OTHER_CELL),
        ("$1,250 million", SALES, "What was the cost of sales in 2021?", OTHER_CELL),
        ("$820 million", replace(COST, name="A"), "What were net sales in 2021?", OTHER_CELL),
    ],
)  # fmt: skip
def test_another_cell_is_no_proof(
    answer: str, named: NamedCell, question: str, reason: str
) -> None:
    proof = easy(answer, named, question)
    assert (proof.proved, proof.reason) == (False, reason)


def test_cells_that_say_the_same_in_two_columns_are_told_apart_by_their_heading() -> None:
    named = cell("Fee income", "2020", "7")
    assert easy("$7 million", named, "What was fee income in 2020?").operands[0].column == 2
    for column in ("2020 2021", "Year"):
        assert easy("$7 million", replace(named, column=column)).reason == CELL_NOT_FOUND


def test_a_cell_that_spans_two_columns_of_one_heading_is_one_cell() -> None:
    named = cell("Plant", "Square feet", "12,000", table=2)
    proof = easy("12,000", named, "How large is the plant?")
    assert (proof.proved, proof.operands[0].column) == (True, 2)


def test_an_easy_question_names_one_cell() -> None:
    written = Written("What were net sales in 2021?", "$1,250 million")
    assert prove("easy", written, TEXT).reason == NOT_ONE_CELL


# --- medium ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calculation", "answer", "cells"),
    [
        ("A - B", "-$41 million", (SALES, SALES_BEFORE)),
        ("A − B", "-41 million", (SALES, SALES_BEFORE)),
        ("(A - B) / B * 100", "-3.2%", (SALES, SALES_BEFORE)),
        ("(A - B) / B * 100", "-3.18 percent", (SALES, SALES_BEFORE)),
        ("(A - B) / B", "-3.2%", (SALES, SALES_BEFORE)),
        ("(A / B - 1) * 100", "-3.2%", (SALES, SALES_BEFORE)),
        ("100 * B / A", "65.6%", (SALES, COST)),
        ("A / B", "1.52", (SALES, COST)),
        ("A / B", "1.52x", (SALES, COST)),
        ("A / B", "1.5 times", (SALES, COST)),
        ("A - B", "4.5 percentage points", (MARGIN, MARGIN_BEFORE)),
        ("A - B", "450 basis points", (MARGIN, MARGIN_BEFORE)),
        ("(A + B) / 2", "$1,270.5 million", (SALES, SALES_BEFORE)),
        ("(A + B) / 2", "32.15%", (MARGIN, MARGIN_BEFORE)),
        ("A / B", "$30.27", (SALES, SHARES)),
        ("A / B", "$30.27 per share", (SALES, SHARES)),
        ("A * B", "$84.67 million", (cell("Earnings per share", "2021", "$2.05"), SHARES)),
        ("A * B / 100", "$430 million", (SALES, replace(MARGIN, name="B"))),
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


@pytest.mark.parametrize(
    ("calculation", "answer", "cells", "reason"),
    [
        ("A - B", "-$42 million", (SALES, SALES_BEFORE), OTHER_NUMBER),
        ("A + B", "-$41 million", (SALES, SALES_BEFORE), OTHER_NUMBER),
        ("A - B", "$41 million", (SALES, SALES_BEFORE), OTHER_SIGN),
        ("B - A", "-$41 million", (SALES, SALES_BEFORE), OTHER_SIGN),
        ("A - B", "-$41 thousand", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("A - B", "-$41", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("A - B", "-41", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("A - B", "-3.2%", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("A - B", "-€41 million", (SALES, SALES_BEFORE), OTHER_CURRENCY),
        ("(A - B) / B * 100", "3.2%", (SALES, SALES_BEFORE), OTHER_SIGN),
        ("(A - B) / B * 100", "-3.3%", (SALES, SALES_BEFORE), OTHER_NUMBER),
        ("(A - B) / B * 100", "-0.032%", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("(A - B) / B", "-0.032%", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("(A - B) / B * 100", "-3.2", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("(A - B) / B * 100", "-$3.2 million", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("(A - B) / B * 100", "-3.2 percentage points", (SALES, SALES_BEFORE), OTHER_UNIT),
        ("(A - B) / A * 100", "-3.2%", (SALES, SALES_BEFORE), OTHER_NUMBER),
        ("A - B", "4.5%", (MARGIN, MARGIN_BEFORE), OTHER_UNIT),
        ("A - B", "45 basis points", (MARGIN, MARGIN_BEFORE), OTHER_NUMBER),
        ("A / B", "$1.52", (SALES, COST), OTHER_UNIT),
        ("A / B", "1.52 employees", (SALES, COST), OTHER_UNIT),
        ("A - B", "between $40 million and $42 million", (SALES, SALES_BEFORE), SEVERAL_FIGURES),
        # what a cell says is no calculation
        ("A", "$1,250 million", (SALES,), STATED),
        ("A * 1", "$1,250 million", (SALES,), STATED),
        (None, "$1,250 million", (SALES,), STATED),
        ("A - 17.65", "34.4%", (cell("Gross margin", "2021", "34.4"),), OTHER_NUMBER),
    ],
)  # fmt: skip
def test_a_calculation_that_gives_anything_else_contradicts_it(
    calculation: str | None, answer: str, cells: tuple[NamedCell, ...], reason: str
) -> None:
    proof = medium(calculation, answer, *cells)
    assert (proof.proved, proof.reason) == (False, reason)
    assert reason in CONTRADICTIONS


@pytest.mark.parametrize(
    ("calculation", "cells", "reason"),
    [
        (None, (SALES, SALES_BEFORE), NO_CALCULATION),
        ("subtract B from A", (SALES, SALES_BEFORE), NOT_COMPUTED),
        ("A - C", (SALES, SALES_BEFORE), NOT_COMPUTED),
        ("A / (B - B)", (SALES, SALES_BEFORE), NOT_COMPUTED),
        ("1250 - 1291", (SALES, SALES_BEFORE), NOT_COMPUTED),
        ("A + B", (SALES, replace(MARGIN, name="B")), NOT_COMPUTED),
        ("A * B", (SALES, SALES_BEFORE), NOT_COMPUTED),
        ("A - B", (replace(SALES, row="Cost of sales"), SALES_BEFORE), CELL_NOT_FOUND),
        ("A - B", (SALES, cell("Plant", "Place", "Oslo", "B", 2)), CELL_NOT_FOUND),
    ],
)
def test_what_cannot_be_computed_is_neither_proved_nor_contradicted(
    calculation: str | None, cells: tuple[NamedCell, ...], reason: str
) -> None:
    proof = medium(calculation, "-$41 million", *cells)
    assert (proof.proved, proof.reason, proof.value) == (False, reason, None)
    assert reason not in CONTRADICTIONS


def test_words_and_years_are_not_computed() -> None:
    for answer in ("Freight", "2021", "fiscal 2020"):
        assert medium("A - B", answer) == replace(Proof(), operands=medium("A - B", "x").operands)


def test_a_wrong_equation_in_the_steps_contradicts_any_level() -> None:
    steps = "1,250 - 1,291 = -14"
    assert medium("A - B", "-$41 million", steps=steps).reason == WRONG_STEPS
    assert prove("hard", Written("Why?", "It fell.", steps), TEXT).reason == WRONG_STEPS
    assert prove("hard", Written("Why?", "It fell.", "1,250 - 1,291 = -41"), TEXT) == Proof()
    assert prove("warmup", Written("Why?", "It fell.", steps), TEXT) == Proof()


def test_an_amount_of_a_table_without_signs_takes_the_currency_of_the_snippet() -> None:
    rows = [("", "2021", "2020"), ("Backlog", "700", "650")]
    cells = (cell("Backlog", "2021", "700"), cell("Backlog", "2020", "650", "B"))
    written = Written("By how much did backlog grow?", "$50 thousand", "", cells, "A - B")
    for before, reason in (
        ("Backlog (in thousands of dollars)", None),
        ("Backlog (in thousands)", OTHER_CURRENCY),
        ("Backlog (in thousands of euros)", OTHER_CURRENCY),
    ):
        text = write_snippet([before, table_of(rows)])
        assert prove("medium", written, text).reason == reason
