"""Figures of a part of a company are asked for by its name, or not at all."""

from __future__ import annotations

import pytest

from tasks.core.rows import Filing, Paragraph, QAPair, Reject
from tasks.suites.refusalbench.base.excerpts import FilingText
from tasks.suites.refusalbench.base.other_suite import NOT_ONE, OF_A_PART
from tasks.suites.refusalbench.base.questions import build_questions
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.suites.shared.contexts import context_of
from tasks.suites.shared.published import document_of
from tests.base_questions import filings_of, inputs_of
from tests.tasks.suites.refusalbench.base.test_other_suite import cite

SALES = "Proceeds from sales of investments in debt securities were $11.2 billion in 1993."
TEXT = f"""Our Financial Services operations and our Automotive segment report apart.
Only the latter has car premiums.

NOTE 2. Marketable Securities

Financial Services

{SALES}

NOTE 3. Research

Research and development expenditures of the whole group were $5.0 billion in 1993.

AUTOMOTIVE

Cash and marketable securities of Automotive operations were $9.8 billion in 1993.

Selected data (in millions)

| 1993 | 1992
Financial services:
Premiums earned | $812 | $790
Other companies:
Interest income | $563 | $653

Quarterly data (in millions)

| 1993 | 1992
Interest income on bonds | $563 | $653
Interest income | $570 | $653
Car premiums | $99 | $95"""


def filing() -> Filing:
    return filings_of()[0][0]


def text_of(text: str = TEXT) -> FilingText:
    starts, paragraphs = 0, []
    for block in text.split("\n\n"):
        paragraphs.append(
            Paragraph(start_char=starts, end_char=starts + len(block), n_tokens=len(block) // 4)
        )
        starts += len(block) + 2
    return FilingText(filing(), document_of(filing().filing_id, text, paragraphs), "Fordham Motor")


@pytest.mark.parametrize(
    ("stated", "query", "is_named"),
    [
        (SALES, "What were Fordham Motor's proceeds from sales of securities in 1993?", False),
        (SALES, "What were the proceeds of Fordham Motor's Financial Services in 1993?", True),
        ("Research and", "What were Fordham Motor's expenditures in 1993?", True),
        ("Cash and", "What was Fordham Motor's cash in 1993?", False),
        ("Cash and", "What was Fordham Motor's cash of Automotive operations in 1993?", True),
        ("Premiums earned | $812", "What were Fordham Motor's premiums earned in 1993?", False),
    ],
)
def test_a_heading_that_the_filing_calls_a_part_has_to_be_named(
    stated: str, query: str, is_named: bool
) -> None:
    text = text_of()
    assert text.is_named(query, text.document.text.index(stated)) == is_named


@pytest.mark.parametrize(
    "heading", ["Fordham Motor", "The Company", "Results of Operations", "RESULTS OF OPERATIONS"]
)
def test_a_heading_of_the_whole_company_is_no_part(heading: str) -> None:
    text = text_of(f"{heading}'s operations and {heading} segments went.\n\n{heading}\n\n{SALES}")
    assert text.is_named("What were proceeds in 1993?", text.document.text.index(SALES))


def rows_of(query: str, answer: str, quote: str) -> list[BaseQuestion | Reject]:
    text = text_of(TEXT.replace("AUTOMOTIVE", "Cash"))
    shown = context_of("snippet", "shown", text.document, encoding="cl100k_base")
    asked = QAPair(
        qa_pair_id="pair",
        context_id=shown.context_id,
        query=query,
        answer=answer,
        task="qa",
        citations=(cite(quote, text.document),),
    )
    inputs = inputs_of(
        asked, shown, filings=[(filing(), text.document)], base="other", settings=("single",)
    )
    return [row for row in build_questions(inputs) if isinstance(row, BaseQuestion | Reject)]


def test_a_pair_on_a_part_that_it_does_not_name_is_a_reject() -> None:
    query = "What were proceeds from sales of investments in debt securities in 1993?"
    (row,) = rows_of(query, "$11.2 billion", SALES)
    assert isinstance(row, Reject)
    assert row.reason == OF_A_PART


def test_a_pair_on_a_cell_with_several_figures_is_a_reject() -> None:
    (row,) = rows_of("What was interest income in 1993?", "$563 million", "Interest income | $563")
    assert isinstance(row, Reject)
    assert row.reason == NOT_ONE


def test_a_pair_on_a_cell_is_asked_by_its_label_without_naming_the_table() -> None:
    query = "According to the second table, what amount is shown for “Car premiums” in 1993?"
    (row,) = rows_of(query, "$99 million", "Car premiums | $99")
    assert isinstance(row, BaseQuestion)
    assert row.asked is not None
    company = row.asked.company
    assert row.query == f"What were {company}'s car premiums in 1993?"
    assert (row.asked.measure, row.asked.period) == ("car premiums", "1993")
    assert f"[{company}, annual report" in row.passages[0].text
