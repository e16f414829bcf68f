"""Drafts come only from unambiguous cells and sentences."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.cell_drafts import cell_drafts
from tasks.baseline.failsafeqa.sentence_drafts import sentence_draft
from tasks.baseline.failsafeqa.topic_drafts import section_drafts
from tasks.quantities.text_tables import find_tables
from tasks.suites.shared.clauses import stands_alone
from tasks.suites.shared.phrases import in_running_text, is_plural, lower_words_of, names_a_measure
from tasks.text.retrieval import Index

WORDS = lower_words_of(
    "net sales of the company increased and revenue, customers, mills, backlog, net cash grew"
)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "Net sales increased 5% to $4.1 million in 2017 from $3.9 million in 2016.",
            "by how much did net sales increase in 2017",
        ),
        (
            (
                "Net sales increased 5% in 2017 compared with 2016, "
                "primarily due to higher prices of wool."
            ),
            "why did net sales increase in 2017",
        ),
        (
            (
                "Net sales of the Dye segment were $4.1 million in 2017, "
                "compared with $3.9 million in 2016."
            ),
            "what were net sales of the Dye segment in 2017",
        ),
        (
            "Customers in Canada accounted for 23% of net sales in 2017.",
            "what percentage of net sales did customers in Canada account for in 2017",
        ),
        (
            "As of December 31, 2017, Wexcombe Mills had approximately 310 full-time employees.",
            "how many full-time employees did Wexcombe Mills have as of December 31, 2017",
        ),
        (
            "The Company operates 14 spinning mills in Canada and the United States.",
            "how many spinning mills does the Company operate",
        ),
        (
            "The Company's executive offices are located in Tarnford, Ontario.",
            "where are the Company's executive offices located",
        ),
        (
            "Wexcombe Mills was incorporated in Delaware in 1974 as a maker of yarn.",
            "when was Wexcombe Mills incorporated",
        ),
        (
            (
                "In March 2017, Wexcombe Mills acquired the dye works "
                "of Tarn Colour from its founders."
            ),
            "what did Wexcombe Mills acquire in March 2017",
        ),
        (
            "Wexcombe Mills competes with four larger spinning mills and several importers.",
            "who does Wexcombe Mills compete with",
        ),
        (
            "Demand for carpet wool is seasonal because most buildings are finished in autumn.",
            "why is demand for carpet wool seasonal",
        ),
    ],
)
def test_drafts_questions_from_sentences_that_stand_alone(sentence: str, question: str) -> None:
    draft = sentence_draft(sentence, 7, WORDS | {"demand"})
    assert draft is not None
    assert (draft.terse, draft.answer, draft.start_char, draft.task) == (
        question,
        sentence,
        7,
        "qa",
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "It increased 5% to $4.1 million in 2017 from $3.9 million in 2016.",
        "This increase was $4.1 million in 2017, as the Company sold more of it.",
        "Net sales were $4.1 million and $3.9 million in 2017 and 2016, respectively.",
        "Net sales increased 5% in 2017, as described in Note 5 to the statements.",
        "See Item 7 for what net sales were in 2017 and how they increased since.",
        "Net sales were $4.1 million in 2017 and 2016 and did not change at all.",
        "Sales fell from $3 million in 2016 and the Company issued such a warning in 2017.",
        "Cash dividends declared were $0.92 per share in 1997 and more in other years.",
        "Net sales increased",
    ],
)
def test_drafts_nothing_from_dependent_or_unclear_sentences(sentence: str) -> None:
    assert sentence_draft(sentence, 0, WORDS) is None


def test_asks_for_the_time_of_the_first_figure() -> None:
    draft = sentence_draft(
        "The backlog was $9 million at June 30, 1997, compared with $8 million at June 30, 1996.",
        0,
        WORDS,
    )
    assert draft is not None
    assert draft.terse == "what was the backlog at June 30, 1997"


TABLE = """Results (in thousands):

| 2017 | 2016 | 2015
Net sales | $ 4,100 | $ 3,900 | $ 3,750
Other | 55 | 50 | 45
Interest expense | (41) | (46) | (52)
Less: tax | 9 | 8 | 7
Balance, beginning of year | 9 | 8 | 7"""


def test_cells_answer_with_unit_scale_sign_and_year() -> None:
    drafts = {draft.terse: draft.answer for draft in cell_drafts(find_tables(TABLE)[0], WORDS)}
    assert drafts["net sales in 2017"] == "Net sales were $4,100 thousand in 2017."
    assert drafts["interest expense in 2016"] == "Interest expense was -$46 thousand in 2016."
    assert (
        drafts["how did net sales change from 2016 to 2017"]
        == "Net sales went from $3,900 thousand in 2016 to $4,100 thousand in 2017."
    )
    assert "<td>$3,750 thousand</td>" in drafts["create an html table of net sales by year"]


def test_skips_labels_that_say_too_little() -> None:
    asked = " ".join(draft.terse for draft in cell_drafts(find_tables(TABLE)[0], WORDS))
    assert "other" not in asked
    assert "tax" not in asked
    assert "balance" not in asked


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace("| 2017 | 2016 | 2015", "| 2017 | 2017 | 2017"),
        TABLE.replace("| 2017 | 2016 | 2015", "| North | South | West"),
        TABLE.replace(
            "| 2017 | 2016 | 2015", "| March quarter 2017 | March quarter 2016 | March quarter 2015"
        ),
        TABLE.replace("Results (in", "Contractual obligations by year (in"),
        TABLE.replace("Other", "Net sales"),
    ],
)
def test_drafts_nothing_from_ambiguous_columns_and_rows(text: str) -> None:
    assert not [d for d in cell_drafts(find_tables(text)[0], WORDS) if "net sales" in d.terse]


def test_a_section_gives_a_text_from_its_own_sentences() -> None:
    sentences = [
        f"Wexcombe Mills competes on its price in the region of Tarn {name}."
        for name in ("East", "West", "North")
    ]
    text = "Competition\n\n" + " ".join(sentences) + "\n\nEmployees\n\nFew words."
    (draft,) = section_drafts(Index(text), frozenset())
    assert draft.task == "tg"
    assert "Competition" in draft.terse
    assert all(sentence in draft.answer for sentence in sentences)


@pytest.mark.parametrize(
    ("phrase", "plural"),
    [
        ("Net sales", True),
        ("Total assets", True),
        ("Cost of sales", False),
        ("Property, plant and equipment, net", False),
        ("Proceeds from sale of stock", True),
        ("Gross profit", False),
        ("Loss", False),
        ("NS", False),
    ],
)
def test_the_head_noun_decides_between_was_and_were(phrase: str, plural: bool) -> None:
    assert is_plural(phrase) is plural


def test_names_keep_their_capitals_in_running_text() -> None:
    assert (
        in_running_text("Total Google Segment Revenues", frozenset({"segment"}))
        == "total Google segment revenues"
    )


def test_label_must_name_a_measure() -> None:
    assert names_a_measure("Net sales")
    assert not names_a_measure("Canada")


def test_a_run_of_capitals_or_an_open_bracket_does_not_stand_alone() -> None:
    assert not stands_alone(
        "RESULTS OF OPERATIONS AND CASH FLOWS Net sales rose in 2017 by a tenth."
    )
    assert not stands_alone("Net sales (which rose in 2017 by a tenth were higher than ever.")
