"""A figure of a subsidiary's table is no figure of the company."""

from __future__ import annotations

import pytest

from tasks.suites.failsafeqa.questions.owners import other_owner

ROWS = "| 2017 | 2016\nGross loans | $ 5,213 | $ 4,813\nReserve | 718 | 765"
ASKED = "What was Wexcombe Mills' reserve in 2017?"
ANSWER = "The reserve was $718 million in 2017."


def led_in(by: str) -> str:
    return f"Wexcombe Mills spins wool.\n\n{by} were as follows (in millions):\n\n{ROWS}"


@pytest.mark.parametrize(
    ("lead_in", "owner"),
    [
        ("Wexcombe Credit's loans (including those of its bank)", "Wexcombe Credit"),
        ("The Dunmeres' loans", "Dunmeres"),
        ("Data: summarized financial information for Tarn Bottling", "Tarn Bottling"),
        ("The consolidated financial data of Wexcombe Mills Company", None),
        ("The following is about Tarn Capital's assets. They", None),
        ("Wexcombe Mills' loans", None),
        ("Wexcombe's loans", None),
        ("The Company's loans", None),
        ("Total Shareholders' equity and loans", None),
        ("Financial data for November", None),
        ("Because of November's sales the loans", None),
        ("The Last Quarter's loans", None),
        ("Loans", None),
    ],
)
def test_the_lead_in_of_a_table_says_whose_its_figures_are(lead_in: str, owner: str | None) -> None:
    assert other_owner(led_in(lead_in), ASKED, ANSWER, "Wexcombe Mills") == owner


def test_a_query_may_name_the_owner_and_a_figure_may_be_stated_elsewhere() -> None:
    text = led_in("Wexcombe Credit's loans")
    asked = "What was Wexcombe Credit's reserve in 2017?"
    assert other_owner(text, asked, ANSWER, "Wexcombe Mills") is None
    rounded = f"{text}\n\nAnother paid $0.7 billion."
    assert other_owner(rounded, ASKED, ANSWER, "Wexcombe Mills") == "Wexcombe Credit"
    said = f"{text}\n\nOur reserve was $718 million in 2017."
    assert other_owner(said, ASKED, ANSWER, "Wexcombe Mills") is None
    assert other_owner(text, ASKED, "It sold wool in 2017.", "Wexcombe Mills") is None


@pytest.mark.parametrize("mark", ["<tr><td>{}</td></tr>", "- {}."])
def test_each_row_of_a_text_must_name_its_owner(mark: str) -> None:
    text = led_in("Wexcombe Credit's loans")
    named, bare = "Gross loans of Wexcombe Credit: $5,213 million", "Reserve: $718 million"
    rows = "\n".join(mark.format(row) for row in (named, bare))
    asked = "Create a table of Wexcombe Mills' gross loans and reserve for 2017."
    assert other_owner(text, asked, rows, "Wexcombe Mills") == "Wexcombe Credit"


def test_a_lead_in_may_end_before_column_heads_and_a_section() -> None:
    text = (
        "The following is about Wexcombe Credit's experience (in millions).\n\n"
        "              Years Ended or at December 31,\n               2017     2016\n"
        "Gross loans\n  Retail     $ 5,213   $ 4,813\nReserve          718       765"
    )
    assert other_owner(text, ASKED, ANSWER, "Wexcombe Mills") == "Wexcombe Credit"


def test_the_same_number_under_another_label_is_no_proof() -> None:
    text = led_in("Wexcombe Credit's loans")
    other = f"{text}\n\nOur looms (in millions):\n\n| 2017 | 2016\nYarn | $ 718 | $ 4\nWool | 7 | 8"
    assert other_owner(other, ASKED, ANSWER, "Wexcombe Mills") == "Wexcombe Credit"
    prose = f"{text}\n\nOur looms cost $718 million in 2017."
    assert other_owner(prose, ASKED, ANSWER, "Wexcombe Mills") == "Wexcombe Credit"


PARTS = """Balance sheet (in millions)

                                           2017       2016
Looms
Sales                                    $  310     $  290

  Total dues                             $  718     $  705
Total Looms assets                       $1,900     $1,800
Yarn stock                               $   66     $   61

NOTE 2.  Inventories - Looms
Inventories were as follows (in millions):

                                           2017       2016
Raw wool                                 $   44     $   41
Spindles                                 $   23     $   29

NOTE 3.  Debt
Debt was as follows (in millions):

                                           2017       2016
Notes                                    $   95     $   91
Bills                                    $   12     $   17

Looms
"""


@pytest.mark.parametrize(
    ("answer", "owner"),
    [
        ("Total dues were $718 million in 2017.", "Looms"),  # below the line of a part
        ("Yarn stock was $66 million in 2017.", None),  # below its total
        ("Raw wool was $44 million in 2017.", "Looms"),  # in a note on a part
        ("Notes were $95 million in 2017.", None),
    ],
)
def test_a_part_of_the_company_owns_the_rows_below_its_line_and_in_its_notes(
    answer: str, owner: str | None
) -> None:
    asked = "What was it at Wexcombe Mills in 2017?"
    assert other_owner(PARTS, asked, answer, "Wexcombe Mills") == owner
    assert other_owner(PARTS, f"{asked} Of Looms?", answer, "Wexcombe Mills") is None
    no_part = PARTS.replace("- Looms", "- Principles")
    assert other_owner(no_part, asked, answer, "Wexcombe Mills") is None


def test_prose_below_the_heading_of_a_part_is_about_that_part() -> None:
    text = (
        PARTS + "Loom sales brought in $812 million in 2017.\n\nNOTE 4.  Tax\nTax was $5 million."
    )
    asked = "What was it at Wexcombe Mills in 2017?"
    answer = "It was $812 million."
    assert other_owner(text, asked, answer, "Wexcombe Mills") == "Looms"
    assert other_owner(text, asked, "Tax was $5 million.", "Wexcombe Mills") is None
    # The part that an answer names for one figure is not named for another.
    beside = f"Looms had $44 million of wool. {answer}"
    assert other_owner(text, f"{asked} And of Looms?", beside, "Wexcombe Mills") == "Looms"


@pytest.mark.parametrize(
    ("heading", "owner"),
    [
        ("CONDENSED FINANCIAL INFORMATION OF THE REGISTRANT", "parent"),
        ("Schedule I - Condensed Financial Statements of Parent Company", "parent"),
        ("Wexcombe Mills, Inc. (Parent Company Only)", "parent"),
        ("CONDENSED FINANCIAL INFORMATION OF SUBSIDIARY", "subsidiary"),
        ("CONDENSED FINANCIAL INFORMATION", None),
        ("Directors of the Registrant", None),
    ],
)
def test_statements_of_the_parent_alone_or_of_a_subsidiary_are_not_the_company_s(
    heading: str, owner: str | None
) -> None:
    statement = (
        f"{heading}\n\nBALANCE SHEETS\n\n(in millions)\n\n{ROWS}\n\nBonds brought $34 million."
    )
    asked = "What was it at Wexcombe Mills in 2017?"
    for answer in (ANSWER, "Bonds brought $34 million."):
        assert other_owner(statement, asked, answer, "Wexcombe Mills") == owner
        of_parent = asked.replace("?", " for the parent company and a subsidiary?")
        assert other_owner(statement, of_parent, answer, "Wexcombe Mills") is None
        for end in ("Schedule II", "Wexcombe Mills, Inc. and Subsidiaries", "Item 9B"):
            ended = statement.replace("BALANCE SHEETS", end)
            assert other_owner(ended, asked, answer, "Wexcombe Mills") is None


def test_a_row_is_of_the_longest_name_that_its_label_begins_with() -> None:
    parts = [
        f"{part}{west}" for part in ("Looms", "Dyes", "Vats", "Yarns") for west in ("", " West")
    ]
    notes = "".join(
        f"NOTE {n}.  Stock - {part}\n\n{part}\n\n{part}\n\n" for n, part in enumerate(parts)
    )
    rows = "".join(f"{part} dues | $ {700 + n} | $ 5\n" for n, part in enumerate(parts))
    text = f"{notes}Consolidated dues (in millions)\n\n| 2017 | 2016\n{rows}"
    for n, part in enumerate(parts):
        answer = f"It was ${700 + n} million in 2017."
        assert other_owner(text, ASKED, answer, "Wexcombe Mills") == part
