"""Cells prove only what a question asks of them; each lie here computes right."""

from __future__ import annotations

import pytest

from tasks.suites.tablequest.questions.named_cells import NamedCell
from tasks.suites.tablequest.questions.proofs import (
    CONTRADICTIONS,
    DEGENERATE,
    MORE_THAN_A_FIGURE,
    NOT_ASKED,
    NOT_COMPUTED,
    OTHER_CELL,
    RECURS,
    ROUNDED,
    SEVERAL_CELLS,
    UNCLEAR_SCALE,
    WRONG_CHANGE,
    Proof,
    prove,
)
from tasks.suites.tablequest.questions.rounds import Written
from tasks.suites.tablequest.snippets import write_snippet
from tests.table_snippets import table_of

ROWS = {
    "Net sales": ("$1,291", "$1,250", "$1,100"),
    "Cost of sales": ("905", "820", "700"),
    "Interest": ("40", "50", "60"),
    "Income taxes": ("20", "30", "35"),
    "Increase in inventory": ("11", "31", "17"),
    "Number of employees": ("7,000", "6,500", "6,100"),
    "Shares outstanding": ("500", "510", "520"),
}
YEARS = ("2021", "2020", "2019")
TABLE = table_of([("", *YEARS), *((label, *values) for label, values in ROWS.items())])
TEXT = write_snippet(["Interest and other data (in millions, except per share data)", TABLE])


def cells(*named: tuple[str, str]) -> tuple[NamedCell, ...]:
    return tuple(
        NamedCell("ABCDE"[place], 1, row, year, ROWS[row][YEARS.index(year)])
        for place, (row, year) in enumerate(named)
    )


def easy(question: str, answer: str, row: str = "Net sales", year: str = "2021") -> Proof:
    return prove("easy", Written(question, answer, cells=cells((row, year))), TEXT)


SALES = (("Net sales", "2021"), ("Net sales", "2020"))
FELL = (("Interest", "2021"), ("Interest", "2020"))
EMPLOYEES = (("Number of employees", "2021"), ("Number of employees", "2020"))


def medium(
    question: str, answer: str, calculation: str, named: tuple[tuple[str, str], ...] = SALES
) -> Proof:
    written = Written(question, answer, "Calculate.", cells(*named), calculation)
    return prove("medium", written, TEXT)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What were net sales in 2021?", None),
        ("What were total revenues in 2021?", None),
        # other cells fit as well
        ("What were net sales?", SEVERAL_CELLS),
        ("What were net sales before they fell?", SEVERAL_CELLS),
        ("What did net sales amount to in the year?", SEVERAL_CELLS),
        ("How many customers had the company in Portugal?", NOT_ASKED),
        ("What was the total in 2021?", NOT_ASKED),
        ("What was the net loss in 2021?", NOT_ASKED),
        ("What does table 1 say of net sales in 2021?", NOT_ASKED),
        ("What are net sales in the second column?", NOT_ASKED),
        ("What are net sales in column 2?", NOT_ASKED),
        ("What is in the first row, net sales, in 2021?", NOT_ASKED),
        ("What were net sales in 2021 and 2025?", NOT_ASKED),
        ("What were net sales in 2001?", OTHER_CELL),
    ],
)
def test_an_easy_question_names_its_cell(question: str, reason: str | None) -> None:
    assert easy(question, "$1,291 million").reason == reason


SEGMENTS = table_of(
    [
        ("", "Three months ended March 31, 2021", "Twelve months ended March 31, 2021", "Notes"),
        ("Americas", "", "", ""),
        ("Net sales", "$500", "$2,000", "4"),
        ("Operating income", "40", "150", ""),
        ("Europe", "", "", ""),
        ("Net sales", "300", "1,200", "5"),
        ("Operating income", "40", "90", ""),
        ("Operating income before rent", "45", "105", ""),
        ("Total operating income", "80", "240", "6"),
    ]
)
TWELVE = "Twelve months ended March 31, 2021"


@pytest.mark.parametrize(
    ("question", "row", "column", "value", "reason"),
    [
        ("What was operating income?", "Europe Operating income", TWELVE, "90", SEVERAL_CELLS),
        ("What was operating income in the twelve months ended March 31, 2021?",
         "Europe Operating income", TWELVE, "90", SEVERAL_CELLS),
        ("What was Europe's operating income in 2021?",
         "Europe Operating income", TWELVE, "90", SEVERAL_CELLS),
        ("What was Europe's operating income in the twelve months ended March 31, 2021?",
         "Europe Operating income", TWELVE, "90", None),
        ("What was operating income before rent in the twelve months of 2021?",
         "Operating income before rent", TWELVE, "105", None),
        ("What was total operating income in the twelve months of 2021?",
         "Total operating income", TWELVE, "240", None),
        ("What were sales in the twelve months of 2021?", "Americas Net sales", TWELVE, "$2,000",
         SEVERAL_CELLS),
        ("What were sales in the Americas in the twelve months of 2021?", "Americas Net sales",
         TWELVE, "$2,000", None),
        # Europe has the same
        ("What was operating income in the Americas in the three months ended March 31, 2021?",
         "Americas Operating income", "Three months ended March 31, 2021", "40", RECURS),
    ],
)  # fmt: skip
def test_a_question_fits_one_cell_by_row_section_and_column(
    question: str, row: str, column: str, value: str, reason: str | None
) -> None:
    text = write_snippet(["Segments (in millions)", SEGMENTS])
    cells = (NamedCell("A", 1, row, column, value),)
    answer = f"${value.removeprefix('$')} million"
    assert prove("easy", Written(question, answer, cells=cells), text).reason == reason


def test_a_value_that_recurs_in_its_row_is_no_question() -> None:
    table = table_of([("", "2021", "2020", "2019"), ("Fees", "$7", "$ 7", "$9")])
    text = write_snippet(["Fees (in millions)", table])
    for year, value, reason in (("2021", "$7", RECURS), ("2019", "$9", None)):
        written = Written(
            f"What were fees in {year}?",
            f"{value} million",
            cells=(NamedCell("A", 1, "Fees", year, value),),
        )
        assert prove("easy", written, text).reason == reason


def test_a_calculation_fits_no_other_cells() -> None:
    asks = "By how much did {} from 2020 to 2021?"
    both = (("Interest", "2021"), ("Interest", "2020"))
    assert medium(asks.format("interest fall"), "$10 million", "B - A", both).proved
    proof = medium("By how much did interest fall?", "$10 million", "B - A", both)
    assert proof.reason == SEVERAL_CELLS
    assert proof.reason in CONTRADICTIONS


def test_a_cell_in_a_row_of_a_year_is_named_by_its_column() -> None:
    text = write_snippet(
        ["Data (in millions)", table_of([("", "Sales", "Taxes"), ("2021", "$7", "$2")])]
    )
    cell = (NamedCell("A", 1, "2021", "Sales", "$7"),)
    for question, reason in (
        ("What were sales in 2021?", None),
        ("What was the headcount in 2021?", NOT_ASKED),
    ):
        assert prove("easy", Written(question, "$7 million", cells=cell), text).reason == reason


@pytest.mark.parametrize(
    ("question", "answer", "calculation", "named", "reason"),
    [
        ("How did net sales change from 2020 to 2021?", "$41 million", "A - B", SALES, None),
        ("How much higher were net sales in 2021 than in the prior year?", "$41 million", "A - B",
         SALES, None),
        ("By how much did interest fall in 2021?", "$10 million", "B - A", FELL, None),
        ("By how much did interest fall in 2021?", "-$10 million", "A - B", FELL, None),
        ("What was the increase in inventory in 2021 less that of 2020?", "-$20 million", "A - B",
         (("Increase in inventory", "2021"), ("Increase in inventory", "2020")), None),
        # other cells than the question's
        ("By how much did the number of dealers in Portugal change from 2020 to 2021?",
         "$41 million", "A - B", SALES, NOT_ASKED),
        ("By how much did the cost of sales change from 2020 to 2021?", "$41 million", "A - B",
         SALES, NOT_ASKED),
        ('In the table under "Interest", by how much did income taxes fall from 2020 to 2021?',
         "$10 million", "B - A", FELL, NOT_ASKED),
        ("What is A - B, of net sales?", "$41 million", "A - B", SALES, NOT_ASKED),
        # other years
        ("By how much did net sales change from 2000 to 2001?", "$41 million", "A - B", SALES,
         NOT_ASKED),
        ("By how much did net sales change from 2019 to 2021?", "$41 million", "A - B", SALES,
         NOT_ASKED),
        ("By how much did net sales differ between 2020 and 2021?", "$191 million", "A - B",
         (("Net sales", "2021"), ("Net sales", "2019")), NOT_ASKED),
        # the other way, or from the wrong year
        ("By how much did interest grow from 2020 to 2021?", "-$10 million", "A - B", FELL,
         WRONG_CHANGE),
        ("By how much did interest grow from 2020 to 2021?", "$10 million", "B - A", FELL,
         WRONG_CHANGE),
        ("By how much did net sales decline from 2020 to 2021?", "$41 million", "A - B", SALES,
         WRONG_CHANGE),
        ("By how much did net sales change from 2020 to 2021?", "-$41 million", "B - A", SALES,
         WRONG_CHANGE),
        ("By what percentage did net sales rise from 2020 to 2021?", "3.2%", "(A - B) / A * 100",
         SALES, WRONG_CHANGE),
        ("By what percentage did net sales rise from 2020 to 2021?", "3.3%", "(A - B) / B * 100",
         SALES, None),
    ],
)  # fmt: skip
def test_a_calculation_reads_what_its_question_asks_for(
    question: str,
    answer: str,
    calculation: str,
    named: tuple[tuple[str, str], ...],
    reason: str | None,
) -> None:
    proof = medium(question, answer, calculation, named)
    assert (proof.proved, proof.reason) == (reason is None, reason)
    assert reason not in CONTRADICTIONS


@pytest.mark.parametrize(
    ("answer", "calculation", "named", "reason"),
    [
        ("$1,270.5 million", "(A + B) / 2", SALES, None),
        ("$1,213.7 million", "(A + B + C) / 3", (*SALES, ("Net sales", "2019")), None),
        ("$847 million", "(A + B) / 3", SALES, DEGENERATE),
        ("$1,019.89 million", "A * 0.79", SALES[:1], DEGENERATE),
        ("$2,007.39 million", "(A + B) * 0.79", SALES, DEGENERATE),
        ("$791 million", "A - A + B - 459000000", SALES, NOT_COMPUTED),
        ("-$41 million", "0 - (A - B)", SALES, NOT_COMPUTED),
        ("0.0%", "(A - A) / A * 100", SALES[:1], DEGENERATE),
        ("$645.5 million", "A / 2", SALES[:1], DEGENERATE),
        ("$41 million", "A - B", (*SALES, ("Net sales", "2019")), DEGENERATE),
        ("$3 billion", "A + B", SALES, ROUNDED),
        ("$2.5 billion", "A + B", SALES, None),
        ("3%", "(A - B) / B * 100", SALES, ROUNDED),
        ("$2,541 million in all of Europe", "A + B", SALES, MORE_THAN_A_FIGURE),
    ],
)
def test_a_calculation_is_of_its_cells_alone(
    answer: str, calculation: str, named: tuple[tuple[str, str], ...], reason: str | None
) -> None:
    years = " and ".join(year for _, year in named)
    proof = medium(f"What were net sales of {years} on average?", answer, calculation, named)
    assert (proof.proved, proof.reason) == (reason is None, reason)
    assert reason not in CONTRADICTIONS


@pytest.mark.parametrize("answer", ["7,000", "7,000 million", "$7,000 million", "7,000 thousand"])
def test_a_count_in_a_table_of_amounts_has_no_scale(answer: str) -> None:
    question = "What was the number of employees in 2021?"
    assert easy(question, answer, "Number of employees").reason == UNCLEAR_SCALE


def test_a_sum_of_counts_is_of_their_scale_and_a_ratio_is_not() -> None:
    question = "By how much did the number of employees grow from 2020 to 2021?"
    for answer in ("500", "500 million"):
        assert medium(question, answer, "A - B", EMPLOYEES).reason == UNCLEAR_SCALE
    assert medium(question, "7.7%", "(A - B) / B * 100", EMPLOYEES).proved


@pytest.mark.parametrize(
    ("lead", "label", "answer"),
    [
        ("Data (in millions, except per share data)", "Shares outstanding", "500 million"),
        ("Data (dollars in millions)", "Shares outstanding", None),
        ("Data (dollars in millions)", "Stores at year end", None),
        ("Data (dollars in millions)", "Stockholders of record", None),
        ("Data (dollars in millions)", "Customers (in thousands)", "500 thousand"),
        ("Data (dollars in millions)", "Distributions to stockholders", "500 million"),
        ("Data (in whole dollars)", "Customers", "500"),
        ("Data", "Customers", "500"),
    ],
)
def test_a_count_is_proved_where_its_scale_is_stated(
    lead: str, label: str, answer: str | None
) -> None:
    text = write_snippet([lead, table_of([("", "2021"), ("Net sales", "$9"), (label, "500")])])
    named = (NamedCell("A", 1, label, "2021", "500"),)
    proved = [
        said
        for said in ("500", "500 thousand", "500 million")
        if prove("easy", Written(f"What were {label} in 2021?", said, cells=named), text).proved
    ]
    assert proved == ([] if answer is None else [answer])


@pytest.mark.parametrize(
    ("lead", "heads", "is_proved"),
    [
        ("Awards (dollar amounts in thousands)", ("2021 Awards", "2021 Fair cost"), False),
        ("Awards (in thousands)", ("2021 Awards", "2021 Fair cost"), True),  # of awards, too
        ("Income (dollars in millions)", ("2021", "2020"), True),
        ("Income (dollars in millions)", ("Sales abroad", "2020"), True),
    ],
)
def test_a_scale_of_dollars_is_not_of_a_column_beside_those_with_signs(
    lead: str, heads: tuple[str, str], is_proved: bool
) -> None:
    text = write_snippet([lead, table_of([("", *heads), ("Granted", "500", "$9")])])
    scale = "million" if "million" in lead else "thousand"
    cells = (NamedCell("A", 1, "Granted", heads[0], "500"),)
    asked = Written(f"What was granted under {heads[0]}?", f"500 {scale}", cells=cells)
    proof = prove("easy", asked, text)
    assert (proof.proved, proof.reason) == (is_proved, None if is_proved else UNCLEAR_SCALE)


COSTS = (("Cost of sales", "2021"), ("Interest", "2021"))
THREE = (*COSTS, ("Income taxes", "2021"))
ENDS = (("Net sales", "2019"), ("Net sales", "2021"))
ALL_SALES = (ENDS[0], ("Net sales", "2020"), ENDS[1])


@pytest.mark.parametrize(
    ("question", "answer", "calculation", "named", "reason"),
    [
        # what the question names, and the calculation leaves out
        ("What was the total of cost of sales and interest in 2021?", "$945 million", "A + B",
         COSTS, None),
        ("What was the total of cost of sales, interest and income taxes in 2021?",
         "$965 million", "A + B + C", THREE, None),
        ("What was the total of cost of sales, interest and income taxes in 2021?",
         "$945 million", "A + B", COSTS, NOT_ASKED),
        ("What were average net sales from 2019 to 2021?", "$1,213.7 million", "(A + B + C) / 3",
         ALL_SALES, None),
        ("What were average net sales from 2019 to 2021?", "$1,195.5 million", "(A + B) / 2",
         ENDS, WRONG_CHANGE),
        # two rows: the one that is named first is compared with the other one
        ("By how much did cost of sales exceed interest in 2021?", "$865 million", "A - B",
         COSTS, None),
        ("By how much did interest exceed cost of sales in 2021?", "$865 million", "A - B",
         COSTS, WRONG_CHANGE),
        ("By how much did cost of sales exceed interest in 2021?", "-$865 million", "B - A",
         COSTS, WRONG_CHANGE),
        ("How much lower was interest than the cost of sales in 2021?", "$865 million", "A - B",
         COSTS, None),
        ("By what percentage did cost of sales exceed interest in 2021?", "2,162.5%",
         "(A - B) / B * 100", COSTS, None),
        ("By what percentage did cost of sales exceed interest in 2021?", "95.6%",
         "(A - B) / A * 100", COSTS, WRONG_CHANGE),
        ("What was the difference between cost of sales and interest in 2021?", "-$865 million",
         "B - A", COSTS, WRONG_CHANGE),
        ("How much higher was interest in 2020 than in 2021?", "$10 million", "B - A", FELL, None),
        # a share is of what is named first
        ("What percentage of cost of sales was interest in 2021?", "4.4%", "B / A * 100",
         COSTS, None),
        ("What was interest as a percentage of cost of sales in 2021?", "4.4%", "B / A * 100",
         COSTS, None),
        ("What percentage of cost of sales was interest in 2021?", "2,262.5%", "A / B * 100",
         COSTS, WRONG_CHANGE),
        # either sign only if the question says the direction
        ("By what percentage did interest decrease from 2020 to 2021?", "20.0%",
         "(B - A) / B * 100", FELL, None),
        ("By what percentage did interest decrease from 2020 to 2021?", "-20.0%",
         "(A - B) / B * 100", FELL, None),
        ("By what percentage did interest increase or decrease from 2020 to 2021?", "-20.0%",
         "(A - B) / B * 100", FELL, None),
        ("By what percentage did interest increase or decrease from 2020 to 2021?", "20.0%",
         "(B - A) / B * 100", FELL, WRONG_CHANGE),
        ("How did interest develop from 2020 to 2021, in percent?", "20.0%",
         "(B - A) / B * 100", FELL, WRONG_CHANGE),
    ],
)  # fmt: skip
def test_a_comparison_goes_the_way_that_its_question_says(
    question: str,
    answer: str,
    calculation: str,
    named: tuple[tuple[str, str], ...],
    reason: str | None,
) -> None:
    proof = medium(question, answer, calculation, named)
    assert (proof.proved, proof.reason) == (reason is None, reason), proof
