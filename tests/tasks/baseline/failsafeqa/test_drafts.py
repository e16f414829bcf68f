"""Drafts come only from unambiguous cells and sentences."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.cell_drafts import cell_drafts
from tasks.baseline.failsafeqa.sentence_drafts import sentence_draft
from tasks.quantities.text_tables import find_tables
from tasks.suites.shared.clauses import stands_alone
from tasks.suites.shared.phrases import in_running_text, is_plural, lower_words_of, names_a_measure

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
        # a level is no change, and nothing changes on one day
        "In fiscal 2017, net sales increased to $4.1 million after two bad years.",
        "Net sales increased 5% to $4.1 million as of December 31, 2017 and later.",
        # what happened on a day, where something is, what something includes: trivia
        "In March 2017, Wexcombe Mills acquired the dye works of Tarn Colour from its founders.",
        "On April 1, 2017, the Court issued an order granting the motion of Wexcombe Mills.",
        "The Company's executive offices are located in Tarnford, Ontario.",
        "Wexcombe Mills was incorporated in Delaware in 1974 as a maker of yarn.",
        "Important intellectual property includes rights in patterns of carpets and of yarns.",
        # whose interest?
        "Tarn Colour acquired its interest from Dunmere for $0.6 million in August 2017.",
        "EQUITY INCOME Equity income increased 5% in 2017 compared with the year before.",
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
    assert (
        drafts["how did net sales change from 2016 to 2017"]
        == "Net sales went from $3,900 thousand in 2016 to $4,100 thousand in 2017."
    )


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Cash, cash equivalents, and short-term investments", "investments were $4,100"),
        ("Total liabilities and stockholders’ equity", "equity were $4,100"),
        ("Consumer and other loans", "Consumer and other loans were $4,100"),
    ],
)
def test_the_verb_agrees_with_the_label(label: str, said: str) -> None:
    table = find_tables(TABLE.replace("Net sales", label))[0]
    assert any(said in draft.answer for draft in cell_drafts(table, WORDS))


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace("2017 |", "December 31, 2017 |").replace("| 2016 |", "| December 31, 2016 |"),
        TABLE.replace("Other |", "Federal statutory rate |"),
        TABLE.replace("Other |", "Total deferred tax assets |"),
        TABLE.replace("$ 4,100 | $ 3,900", "$ - | $ 0"),
    ],
)
def test_a_year_s_sales_are_not_those_of_a_day_nor_a_part_of_tax_nor_nothing(text: str) -> None:
    drafts = [draft.terse for draft in cell_drafts(find_tables(text)[0], WORDS)]
    asked = [query for query in drafts if "2017" in query and "net sales" in query]
    assert not asked


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


def test_a_text_states_three_measures_of_a_table_with_scale_and_year() -> None:
    table = TABLE.replace("Other |", "Cost of sales |").replace("Interest exp", "Depreciation exp")
    table = table.replace("(41) | (46) | (52)", "41 | 46 | 46")
    texts = {
        draft.terse: draft.answer
        for draft in cell_drafts(find_tables(table)[0], WORDS | {"cost", "depreciation"})
        if draft.task == "tg"
    }
    measures = "our net sales, cost of sales and depreciation expense"
    said = texts[f"write a short note on how {measures} changed from 2016 to 2017"]
    assert said == (
        "Net sales went from $3,900 thousand in 2016 to $4,100 thousand in 2017. "
        "Cost of sales went from $50 thousand in 2016 to $55 thousand in 2017. "
        "Depreciation expense went from $46 thousand in 2016 to $41 thousand in 2017."
    )
    drawn = texts[f"create an html table of {measures} for 2016 and 2017"]
    assert "<tr><td>Cost of sales</td><td>$50 thousand</td><td>$55 thousand</td></tr>" in drawn


FLOWS = """Statements of Cash Flows (in thousands):

| 2017 | 2016
Net income | $ 410 | $ 390
Accounts payable and accrued expenses | (78) | 50
Deferred taxes | 12 | 13
Purchases of equipment | (41) | (46)
Net cash provided by (used in) operating activities | 90 | (80)
Net cash used in investing activities | (70) | (60)
Net loss | (12) | (14)"""


def test_a_change_of_a_balance_is_no_balance_and_a_deduction_no_negative_amount() -> None:
    drafts = " ".join(draft.terse for draft in cell_drafts(find_tables(FLOWS)[0], WORDS))
    assert "net income in 2017" in drafts
    assert "operating activities in 2016" in drafts
    assert "investing" not in drafts
    assert "loss" not in drafts
    assert "payable" not in drafts
    assert "deferred" not in drafts.lower()
    assert "equipment" not in drafts
    assert "expense" not in " ".join(
        draft.terse for draft in cell_drafts(find_tables(TABLE)[0], WORDS)
    )


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
