"""A row is asked by its label only if the label alone says whose and what it is."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.cell_drafts import cell_drafts
from tasks.baseline.failsafeqa.labels import key_of, named_rows
from tasks.quantities.text_tables import find_tables
from tasks.suites.shared.phrases import lower_words_of

WORDS = lower_words_of("net sales income of interest cash proceeds from looms other and yarn stock")


def answers(text: str) -> str:
    """Return all answers that a text's last table supports."""
    tables = find_tables(text)
    return " ".join(
        draft.answer
        for table, rows in named_rows(tables)
        if table is tables[-1]
        for draft in cell_drafts(table, rows, WORDS)
    )


def headed(heading: str, *rows: str, columns: str = "2017 | 2016") -> str:
    return "\n".join([f"{heading}\n\n(in millions) | {columns}", *rows])


STATEMENT = ("Net sales | $ 900 | $ 800", "Cost of sales | 500 | 450", "Net income | 90 | 80")
BALANCES = ("Yarn stock | $ 31 | $ 29", "Total current assets | 90 | 80", "Total assets | 95 | 85")


@pytest.mark.parametrize(
    ("heading", "row", "is_asked"),
    [
        ("The components of net investment income are:", "Yarn stock | 31 | 29", False),
        ("Cash paid for interest and income taxes was:", "Income taxes | 31 | 29", False),
        ("Accrued expenses were:", "Accrued expenses | 31 | 29", True),
        ("Income from discontinued operations was:", "Income from operations | 31 | 29", False),
        ("Income from discontinued operations was:", "Discontinued net sales | 31 | 29", True),
        ("Doubtful accounts:", "Beginning allowance of losses | 31 | 29", False),
        ("Loans as of December 31 were:", "Loan origination costs | 31 | 29", False),
        ("Results of these years were:", "Interest income | 31 | 29", True),
        ("Results of such credits were:", "Interest income | 31 | 29", False),
        ("Results of the year were:", "Charged to expenses | 31 | 29", False),
        ("Results of the year were:", "Percent of sales | 31% | 29%", False),
        ("Results of the year were:", "Looms:\nWeighted average price | 31 | 29", False),
        ("Results of the year were:", "Looms:\nAverage looms sales | 31 | 29", True),
    ],
)
def test_what_only_a_heading_completes_is_not_asked(heading: str, row: str, is_asked: bool) -> None:
    text = headed(heading, "Raw wool | $ 7 | $ 6", row)
    assert ("31" in answers(text)) is is_asked


def test_a_statement_explains_its_labels() -> None:
    assert "Yarn stock was $31 million" in answers(headed("Balance sheets", *BALANCES))
    assert "Yarn stock" not in answers(headed("Balance sheets", *BALANCES[:1], "Wool | 3 | 2"))
    assert "Yarn stock" not in answers(headed("Balance sheets of joint ventures", *BALANCES))
    flows = ("Balance, beginning of year | $ 3 | $ 2", *BALANCES)
    assert "Yarn stock" not in answers(headed("Statement of equity", *flows))


def test_no_result_is_asked_of_a_table_with_several_bottom_lines() -> None:
    assert "Net sales were $900 million" in answers(headed("Results", *STATEMENT))
    parts = (*STATEMENT, "Looms:", "Net income/(loss) | 60 | (50)")
    assert not answers(headed("Results", *parts))
    per_share = (*STATEMENT, "Per share:", "Net income | 1.60 | 1.50")
    assert "Net sales were $900 million" in answers(headed("Results", *per_share))


def test_labels_that_differ_only_in_brackets_or_total_are_one() -> None:
    assert key_of("Net income/(loss)") == key_of("Net income")
    assert key_of("Net cash used in investing activities") == "net cash investing activities"
    assert key_of("Total long-term debt") == key_of("Long-term debt")
    rows = (*STATEMENT, "Other income | 31 | 29", "Total other income | 35 | 33")
    assert "31" not in answers(headed("Results", *rows))


def test_a_cell_that_another_table_contradicts_is_asked_only_of_a_statement() -> None:
    note = headed("Results by product were:", "Interest income | $ 31 | $ 29", "Wool | 3 | 2")
    assert "Interest income was $31 million" in answers(note)
    rows = (*STATEMENT, "Interest income | 33 | 29")
    said = answers(f"{headed('Results', *rows)}\n\n{note}")
    assert "$31 million" not in said
    assert "$29 million" in said
    assert "$33 million" in answers(f"{note}\n\n{headed('Results', *rows)}")


def test_a_second_statement_that_contradicts_the_first_is_of_another() -> None:
    first = headed("Results", *STATEMENT)
    again = headed("Selected data", *STATEMENT, "Income taxes | 31 | 29")
    assert "$31 million" in answers(f"{first}\n\n{again}")
    alone = again.replace("$ 900", "$ 7").replace("Net sales", "Total net sales")
    assert not answers(f"{first}\n\n{alone}")
    assert not answers(headed("Condensed financial information of subsidiary", *BALANCES))


def test_interest_income_among_expenses_is_not_negative() -> None:
    rows = (*STATEMENT, "Interest income | (31) | (29)", "Operating income | (7) | 5")
    said = answers(headed("Results", *rows))
    assert "31" not in said
    assert "Operating income was -$7 million" in said


def test_an_amount_of_cash_flows_is_asked_only_if_its_name_says_the_direction() -> None:
    text = headed(
        "Cash flows",
        "Investments in reverse repurchase agreements | $ 425 | $ (450)",
        "Other long-term investments proceeds (purchased) | 782 | (185)",
        "Proceeds from sales of looms | 31 | 29",
        "Net cash used in investing activities | (24) | (30)",
        "Net cash provided by operating activities | 90 | 80",
    )
    said = answers(text)
    assert "425" not in said
    assert "782" not in said
    assert "Proceeds from sales of looms were $31 million" in said
    assert "$90 million" in said


def test_a_column_that_says_more_than_its_period_is_not_asked() -> None:
    assert "$900" in answers(headed("Results", *STATEMENT, columns="Year ended 2017 | 2016"))
    said = answers(headed("Results", *STATEMENT, columns="Target Allocation 2017 | 2016"))
    assert "$900" not in said
    assert "$800" in said


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Average shares outstanding", "Average shares outstanding were"),
        ("Provision/(credit) for income taxes", "Provision/(credit) for income taxes was"),
    ],
)
def test_labels_read_well_in_a_sentence(label: str, said: str) -> None:
    assert said in answers(headed("Results", *STATEMENT, f"{label} | 31,500 | 29,500"))
