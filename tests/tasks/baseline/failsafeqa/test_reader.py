"""The reader answers from sentences and cells, or finds no answer."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.reader import read

DOCUMENT = """Wexcombe Mills, Inc. spins and dyes wool for carpet makers in Canada and the United \
States.

Employees

As of December 31, 2017, Wexcombe Mills had 310 full-time employees. None of them is represented \
by a union.

Competition

Wexcombe Mills competes with four larger spinning mills, among them Orrin Yarns and Dunmere Fibre. \
Price and delivery times decide most orders for carpet wool. Imports have increased their share in \
the last decade.

Results

Net sales increased 5.1% to $4,100 thousand in 2017, primarily due to higher prices of dyed wool. \
Customers in Canada accounted for 23% of net sales in 2017. In March 2017, Wexcombe Mills acquired \
the dye works of Tarn Colour for $640 thousand.

The following table shows the results, in thousands:

| 2017 | 2016 | 2015
Net sales | $ 4,100 | $ 3,900 | $ 3,750
Cost of sales | 3,010 | 2,840 | 2,790
Gross profit | 1,090 | 1,060 | 960
Interest expense | 41 | 46 | 52

The dye works are located in Tarnford, Ontario."""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("How many full-time employees did Wexcombe Mills have as of December 31, 2017?", "310"),
        ("Why did net sales increase in 2017?", "higher prices of dyed wool"),
        ("What percentage of net sales did customers in Canada account for in 2017?", "23%"),
        ("What was gross profit in 2016?", "$1,060 thousand"),
        ("What was interest expense in 2015?", "$52 thousand"),
        ("Where are the dye works located?", "Tarnford, Ontario"),
        ("Who does Wexcombe Mills compete with?", "Orrin Yarns"),
        ("cost of sales 2016", "$2,840 thousand"),
        ("gross proft 2016", "$1,060 thousand"),
        ("What was gro ss profit in 2016?", "$1,060 thousand"),
        ("What wasgross profit in 2016?", "$1,060 thousand"),
    ],
)
def test_finds_the_documents_answer(query: str, found: str) -> None:
    answer = read(DOCUMENT, query)
    assert answer is not None
    assert found in answer


def test_states_only_the_requested_year() -> None:
    answer = read(DOCUMENT, "What was gross profit in 2016?")
    assert answer is not None
    assert "1,090" not in answer
    assert "960" not in answer


def test_states_both_ends_of_a_change() -> None:
    answer = read(DOCUMENT, "How did gross profit change from 2015 to 2016?")
    assert answer is not None
    assert "$960 thousand" in answer
    assert "$1,060 thousand" in answer


@pytest.mark.parametrize(
    "query",
    [
        "What was the backlog of orders at June 30, 1995?",
        "What was gross profit in 1998?",
        "How many patents does the company hold on its looms?",
        "What did Orlestone Bank pay for its branches?",
        "Why did the warranty provision decrease?",
        "Summarize what the report says about nuclear decommissioning liabilities.",
        "?",
        "What is it?",
    ],
)
def test_never_invents_an_answer(query: str) -> None:
    assert read(DOCUMENT, query) is None


@pytest.mark.parametrize(
    "query",
    [
        "What was the backlog of orders at June 30, 1995?",
        "What was gross profit in 1998?",
        "Summarize what the report says about nuclear decommissioning orders.",
        "Create an html table of gross margin and nuclear fuel by year.",
    ],
)
def test_bold_reader_answers_with_the_best_match(query: str) -> None:
    assert read(DOCUMENT, query) is None
    assert read(DOCUMENT, query, is_bold=True)


@pytest.mark.parametrize(
    "query",
    ["What was gross profit in 2016?", "Why did net sales increase in 2017?", "?", "What is it?"],
)
def test_bold_and_shy_readers_agree_if_the_answer_is_clear_or_nothing_is_asked(
    query: str,
) -> None:
    assert read(DOCUMENT, query, is_bold=True) == read(DOCUMENT, query)


def test_a_title_with_the_company_s_name_is_no_answer() -> None:
    text = f"ORLESTONE PUMP & VALVE CORPORATION\n\nForm 10-K\n\n{DOCUMENT}"
    text += "\n\nOrlestone Pump & Valve Corporation Consolidated Statements of Income"
    for query in ("What was Orlestone Pump & Valve's gross profit in 2016?",
                  "At Orlestone Pump & Valve, what was gross profit in 2016?"):  # fmt: skip
        answer = read(text, query)
        assert answer is not None
        assert "$1,060 thousand" in answer
    assert read(DOCUMENT, "What was Quenby Bank's warranty provision in 2016?") is None


SEVERAL = "Wexcombe Mills' net sales, cost of sales and interest expense"
ROWS = {
    "Net sales": ("$4,100 thousand", "$3,900 thousand"),
    "Cost of sales": ("$3,010 thousand", "$2,840 thousand"),
    "Interest expense": ("$41 thousand", "$46 thousand"),
}


@pytest.mark.parametrize(
    "query",
    [
        f"Write a short note on how {SEVERAL} changed from 2016 to 2017.",
        f"List as bullet points how {SEVERAL} changed from 2016 to 2017.",
        f"Create an html table of {SEVERAL} for 2016 and 2017.",
        "Tabulate 2016 and 2017 intrest expense; cost of sales; and net sales of Wexcombe Mills.",
    ],
)
def test_a_text_on_several_measures_has_each_of_their_rows_and_no_other_year(query: str) -> None:
    answer = read(DOCUMENT, query)
    assert answer is not None
    lines = answer.splitlines()
    for label, values in ROWS.items():
        line = next(line for line in lines if label in line)
        assert all(value in line for value in values)
    assert "Gross profit" not in answer
    assert "2015" not in answer


def test_measures_of_years_that_the_document_lacks_are_not_in_the_text() -> None:
    assert read(DOCUMENT, f"Write a short note on {SEVERAL} in 1998.") is None
    assert read(DOCUMENT, "Write a note on Orlestone's warranty provision and net sales.") is None


def test_writes_a_note_from_the_topics_sentences() -> None:
    note = read(DOCUMENT, "Write a short note on competition.")
    assert note is not None
    assert "Orrin Yarns" in note
    assert "Tarnford" not in note


def test_search_terms_for_a_text_give_a_text() -> None:
    assert read(DOCUMENT, "short note competition") == read(
        DOCUMENT, "Write a short note on competition."
    )


def test_writes_a_table_from_the_row() -> None:
    table = read(DOCUMENT, "Create an html table of gross profit by year.")
    assert table is not None
    assert "<th>2016</th>" in table
    assert "<td>$1,060 thousand</td>" in table


def test_every_figure_of_an_answer_is_the_documents() -> None:
    answer = read(DOCUMENT, "What was net sales in 2016?")
    assert answer == "Net sales: $3,900 thousand (2016)."


def test_prefers_a_row_that_names_the_year() -> None:
    text = (
        DOCUMENT + "\n\nBy region in 2017, in thousands:\n\nNorth | 10 | 12\nGross profit | 5 | 7"
    )
    answer = read(text, "What was gross profit in 2017?")
    assert answer is not None
    assert "1,090" in answer
