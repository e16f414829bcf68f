"""Drafts come only from unambiguous cells and sentences."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.cell_drafts import cell_drafts
from tasks.baseline.failsafeqa.drafts import Draft
from tasks.baseline.failsafeqa.labels import named_rows
from tasks.baseline.failsafeqa.sentence_drafts import sentence_draft
from tasks.quantities.text_tables import Table, find_tables
from tasks.suites.shared.clauses import stands_alone
from tasks.suites.shared.phrases import (
    capitalised,
    in_running_text,
    is_plural,
    lower_words_of,
    names_a_measure,
)


def drafts_of(table: Table, words: frozenset[str]) -> list[Draft]:
    """Draft from a table that is alone in its context."""
    ((_, rows),) = named_rows([table])
    return list(cell_drafts(table, rows, words))


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
            "Net sales of the Dye segment were $4.1 million in 2017, a record.",
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
            "The Company operates 14 spinning mills, six of them in Canada.",
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
        # a share or a difference is no amount
        "The allowance for loan losses was 1.46% of loans at December 31, 2017 and after.",
        "Capital expenditures were 9% lower in 2017 primarily due to fewer new looms.",
        # the time of a cause, of what is compared, of another statement
        "Sales volume decreased 5%, reflecting the closure in June 2017 of a mill in Tarnford.",
        "Costs as a percentage of sales decreased to 65.6% as compared with 66.4% in 2017.",
        "Operating income increased 17% year over year, and the margin was 22% in 2017.",
        # not all that are counted
        "As of June 30, 2017, the Company had approximately 500 employees engaged in research.",
        "The Company operates approximately 200 stores at hotels, hospitals and universities.",
        "The Company owns 86 acres and has the rights to use another 55 acres in Tarnford.",
        "At June 30, 2017, the Company owned 63,924 shares, or about 20%, of Orrin Yarns.",
        # nothing is said of the subject, or it leans on another sentence
        "The operational decline was primarily due to lower prices and competitive pressures.",
        "Related compensation costs were $8 million in 2017 in all of the Company's mills.",
        # which receivable, which rate: the sentence before says
        "The receivable outstanding was $2.0 billion as of December 30, 2017 in all.",
        "The gains on the divestitures were $2.0 billion in 2017 in all of the Company's mills.",
        "The weighted average interest rate was 0.95% for the year ended December 31, 2017.",
        "All expenses are omitted because the conditions of their filing do not exist.",
        # the report is not the company
        "All schedules are omitted because the conditions of their filing do not exist.",
        # the report's own mistakes, and two clauses in one
        "Wool and start-up expenses was $36.9 million for the year ended December 31, 2017.",
        "Revenue of the mills are reduced as a result of an assessment by the company.",
        "Backlog is based upon few orders and the price requires care due to idle mills.",
        # what may be is no fact
        "Net sales may fluctuate because of a number of factors that nobody controls.",
    ],
)
def test_drafts_nothing_from_dependent_or_unclear_sentences(sentence: str) -> None:
    assert sentence_draft(sentence, 0, WORDS) is None


@pytest.mark.parametrize(
    "rest",
    [
        "employees and people of color were 26% of all managers in 2017.",
        "the staff while people of color were 26% of managers in 2017.",
        "net sales and wool represented a quarter of them in 2017.",
        "net sales against 31% of all orders in 2017.",
    ],
)
def test_what_a_share_is_of_holds_no_second_statement(rest: str) -> None:
    assert sentence_draft(f"Women represented 33% of all {rest}", 0, WORDS) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "REVENUES Net revenues were $281.2 million during 2017.",
        "Mill Segment Revenue Mill segment revenue decreased 7% in 2017 due to dear wool.",
        "Many weavers are often ill and are at great risk as a result of dust in the mills.",
    ],
)
def test_a_heading_that_runs_in_or_a_second_verb_gives_no_question(sentence: str) -> None:
    assert sentence_draft(sentence, 0, WORDS | lower_words_of("segment many weavers net")) is None


@pytest.mark.parametrize("time", ["prior to November 1", "after June", "from May to December"])
@pytest.mark.parametrize("measure", ["Merck's sales", "Net sales"])
def test_a_measure_up_to_a_month_may_be_another_s(measure: str, time: str) -> None:
    assert sentence_draft(f"{measure} for 1994 {time} were $1,200 million.", 0, WORDS) is None
    sentence = f"{measure} for 1994 were $1,200 million, a record in the wool trade."
    assert sentence_draft(sentence, 0, WORDS) is not None


def test_the_reference_has_no_comparison_that_nobody_asked_for() -> None:
    said = "Net sales were $4.1 million in 2017"
    for compared in (", compared with $3.9 million in 2016", " versus approximately $3.9 million"):
        draft = sentence_draft(f"{said}{compared}.", 0, WORDS)
        assert draft is not None
        assert draft.answer == f"{said}."
    dangling = f"{said}, down 12% compared to 2016."
    draft = sentence_draft(dangling, 0, WORDS)
    assert draft is not None
    assert draft.answer == dangling


def test_a_first_word_that_may_be_a_name_gives_no_question() -> None:
    said = "Tarning costs were $4.1 million in 2017 in all of the Company's mills."
    assert sentence_draft(said, 0, WORDS)
    assert sentence_draft(said, 0, WORDS, frozenset({"tarning"})) is None


def test_a_measure_in_a_paragraph_on_a_segment_is_the_segment_s() -> None:
    said = "Net sales of yarn increased in 2017 due to higher prices in all of the mills."
    opening = "Net sales in Canada increased 5% during 2017."
    assert sentence_draft(said, 0, WORDS, before=["Net sales increased 5% during 2017."])
    assert sentence_draft(said, 0, WORDS, before=[opening]) is None
    opening = "Canada’s net sales increased $4 million in 2017, a record."
    assert sentence_draft(said, 0, WORDS, before=[opening]) is None
    assert sentence_draft(opening, 0, WORDS)


def test_a_measure_may_be_of_whom_an_earlier_sentence_names() -> None:
    said = "At December 31, 2017, earned surplus was $7,809,000."
    words = WORDS | {"earned", "surplus"}
    before = ["Dividends are rare.", "Statutes let Tarn Colour pay only from earned surplus."]
    assert sentence_draft(said, 0, words, before=before[:1])
    assert sentence_draft(said, 0, words, before=before) is None
    assert sentence_draft(said.replace("earned", "Tarn's earned"), 0, words, before=before)


def test_a_share_s_time_may_begin_with_for() -> None:
    said = "Dyed wool accounted for 23% of our net sales for the fiscal year ended June 30, 2017."
    draft = sentence_draft(said, 0, WORDS | {"dyed", "wool"})
    assert draft is not None
    assert "represent for the fiscal year" in draft.terse


def test_asks_for_the_time_of_the_first_figure() -> None:
    draft = sentence_draft(
        "Our backlog was $9 million at June 30, 1997, compared with $8 million at June 30, 1996.",
        0,
        WORDS,
    )
    assert draft is not None
    assert draft.terse == "what was our backlog at June 30, 1997"


TABLE = """Results (in thousands):

| 2017 | 2016 | 2015
Net sales | $ 4,100 | $ 3,900 | $ 3,750
Other | 55 | 50 | 45
Interest expense | (41) | (46) | (52)
Less: tax | 9 | 8 | 7"""
BALANCE_SHEET = """Balance Sheets (in thousands):

| 2017 | 2016 | 2015
Inventories | $ 4,100 | $ 3,900 | $ 3,750
Total current assets | 6,100 | 5,900 | 5,750
Total assets | 8,100 | 7,900 | 7,750"""


def test_cells_answer_with_unit_scale_sign_and_year() -> None:
    drafts = {draft.terse: draft.answer for draft in drafts_of(find_tables(TABLE)[0], WORDS)}
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
        ("Shares of stock purchased", "Shares of stock purchased were $4,100"),
    ],
)
def test_the_verb_agrees_with_the_label(label: str, said: str) -> None:
    table = find_tables(BALANCE_SHEET.replace("Inventories", label))[0]
    assert any(said in draft.answer for draft in drafts_of(table, WORDS))


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace("2017 |", "December 31, 2017 |").replace("| 2016 |", "| December 31, 2016 |"),
        TABLE.replace("Other |", "Federal statutory rate |"),
        TABLE.replace("Other |", "Total deferred tax assets |"),
        TABLE.replace("Results", "The tax provision differs from what a rate of 35% gives"),
        TABLE.replace("Results", "Deferred tax assets and liabilities"),
        TABLE.replace("$ 4,100 | $ 3,900", "$ - | $ 0"),
    ],
)
def test_a_year_s_sales_are_not_those_of_a_day_nor_a_part_of_tax_nor_nothing(text: str) -> None:
    drafts = [draft.terse for draft in drafts_of(find_tables(text)[0], WORDS)]
    asked = [query for query in drafts if "2017" in query and "net sales" in query]
    assert not asked


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace("Results", "Assets of the retirement plan"),  # the label says nothing of it
        TABLE.replace("Results", "Unaudited pro forma results"),
        TABLE.replace("Net sales", "Changes in assets:\nSales"),
        TABLE.replace("Net sales", "Cash paid during the year for:\nSales taxes"),
        TABLE.replace("Net sales", "Effect of dilutive securities:\nSales"),
        TABLE.replace("$ 4,100 | $ 3,900 | $ 3,750", "75% | 79% | 73%"),  # a share of what?
        TABLE.replace("Net sales", "Sales--as reported"),
    ],
)
def test_a_row_that_only_its_table_explains_is_not_asked_for(text: str) -> None:
    words = WORDS | {"sales"}
    asked = [draft.terse for draft in drafts_of(find_tables(text)[0], words)]
    assert not [query for query in asked if "sales" in query]


def test_amounts_beside_their_shares_are_no_shares() -> None:
    text = (
        "Results (in thousands):\n\n| 2017 | % of sales | 2016 | % of sales\n"
        "Net sales | $ 4,100 | 100.0% | $ 3,900 | 100.0%\n"
        "Gross margin | 1,200 | 29.3% | 1,100 | 28.2%"
    )
    said = " ".join(draft.answer for draft in drafts_of(find_tables(text)[0], WORDS))
    assert "1,200%" not in said
    mixed = TABLE.replace("Other | 55", "Diluted earnings per share | 8.2%").replace("50", "(3.9)")
    said = " ".join(draft.answer for draft in drafts_of(find_tables(mixed)[0], WORDS))
    assert "per share" not in said


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Net cash decrease", "(2,027)"),
        ("Gains on stock issued by equity investees", "(431)"),
        ("Income tax benefit", "(2,027)"),  # minus a benefit would be an expense
        ("Acquisitions, net of cash acquired", "(83)"),
        ("Accumulated obligation1", "83"),  # a footnote's mark
        ("Total capital{1}", "83"),
        ("Consolidated as a % of sales", "83%"),
    ],
)
def test_skips_signs_and_marks_that_a_label_does_not_explain(label: str, value: str) -> None:
    table = find_tables(TABLE.replace("Other | 55", f"{label} | {value}"))[0]
    asked = [draft.terse for draft in drafts_of(table, WORDS | {label.split()[0].lower()})]
    assert not [query for query in asked if label[1:] in query and query.endswith("in 2017")]


def test_no_row_of_a_table_of_yearly_results_is_as_of_a_day() -> None:
    text = TABLE.replace("| 2017 | 2016 | 2015", "| December 31, 2017 | December 31, 2016 | 2015")
    text = text.replace("Other |", "Gross margin |")
    asked = [draft.terse for draft in drafts_of(find_tables(text)[0], WORDS | {"gross"})]
    assert not [query for query in asked if "as of" in query]


def test_measures_of_a_text_with_commas_are_set_apart_by_semicolons() -> None:
    text = BALANCE_SHEET.replace("Total current assets", "Accounts receivable, net")
    text = text.replace("Total assets", "Total current assets") + "\nTotal assets | 9 | 8 | 7"
    asked = [draft.terse for draft in drafts_of(find_tables(text)[0], WORDS | {"inventories"})]
    said = "our inventories; accounts receivable, net; and total current assets"
    assert any(said in query for query in asked)


def test_skips_labels_that_say_too_little() -> None:
    asked = " ".join(draft.terse for draft in drafts_of(find_tables(TABLE)[0], WORDS))
    assert "other" not in asked
    assert "tax" not in asked


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
    assert not [d for d in drafts_of(find_tables(text)[0], WORDS) if "net sales" in d.terse]


def test_a_text_states_three_measures_of_a_table_with_scale_and_year() -> None:
    table = TABLE.replace("Other |", "Cost of sales |").replace("Interest exp", "Depreciation exp")
    table = table.replace("(41) | (46) | (52)", "41 | 46 | 46")
    texts = {
        draft.terse: draft.answer
        for draft in drafts_of(find_tables(table)[0], WORDS | {"cost", "depreciation"})
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
    drafts = " ".join(draft.terse for draft in drafts_of(find_tables(FLOWS)[0], WORDS))
    assert "net income in 2017" in drafts
    assert "operating activities in 2016" in drafts
    assert "investing" not in drafts
    assert "loss" not in drafts
    assert "payable" not in drafts
    assert "deferred" not in drafts.lower()
    assert "equipment" not in drafts
    assert "expense" not in " ".join(
        draft.terse for draft in drafts_of(find_tables(TABLE)[0], WORDS)
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
        ("Assets recorded under capital leases", True),
    ],
)
def test_the_head_noun_decides_between_was_and_were(phrase: str, plural: bool) -> None:
    assert is_plural(phrase) is plural


def test_names_keep_their_capitals_in_running_text() -> None:
    assert (
        in_running_text("Total Google Segment Revenues", frozenset({"segment"}))
        == "total Google segment revenues"
    )


@pytest.mark.parametrize(
    ("label", "said"),
    [
        # in sentence case, a capital is a name's
        ("Net receivable from Financial Services", "net receivable from Financial Services"),
        ("Financial Services sales volume", "Financial Services sales volume"),
        # `and` joins names
        ("Energy and Process Operating Income", "Energy and Process operating income"),
        ("Prepaid and Process Costs", "prepaid and process costs"),
        ("Total Stockholders’ Equity (deficit)", "total Stockholders’ equity (deficit)"),
    ],
)
def test_words_of_one_name_keep_their_capitals_together(label: str, said: str) -> None:
    lower = frozenset({"financial", "process", "receivable", "volume"})
    assert in_running_text(label, lower) == said


def test_a_small_first_letter_before_a_capital_stays() -> None:
    assert capitalised("iPod unit sales rose") == "iPod unit sales rose"
    assert capitalised("net sales rose") == "Net sales rose"


def test_label_must_name_a_measure() -> None:
    assert names_a_measure("Net sales")
    assert not names_a_measure("Canada")


def test_a_run_of_capitals_or_an_open_bracket_does_not_stand_alone() -> None:
    assert not stands_alone(
        "RESULTS OF OPERATIONS AND CASH FLOWS Net sales rose in 2017 by a tenth."
    )
    assert not stands_alone("Net sales (which rose in 2017 by a tenth were higher than ever.")


@pytest.mark.parametrize(
    ("heading", "rows", "asked"),
    [
        ("9. Other Liabilities", ("Local income taxes", "Total other liabilities"), {1}),
        ("Included in accrued liabilities were:", ("Dealer claims", "Wool claims"), set()),
        ("Accrued expenses", ("Dealer claims", "Other current liabilities"), set()),
        ("Sales of other assets fell. Wool:", ("Raw wool sales", "Yarn sales"), {0, 1}),
        (
            "Results",
            ("Sales of wool", "Other comprehensive income", "Prior service cost"),
            {0, 1},
        ),
        ("Equity", ("Accumulated other comprehensive income", "Treasury stock"), {0}),
    ],
)
def test_a_component_of_an_item_is_not_asked_by_its_label_alone(
    heading: str, rows: tuple[str, ...], asked: set[int]
) -> None:
    cells = "\n".join(f"{label} | $ 1{place}4 | $ 1{place}1" for place, label in enumerate(rows))
    text = f"{heading}\n\n(in millions) | 2017 | 2016\n{cells}"
    (table,) = find_tables(text)
    answers = " ".join(draft.answer for draft in drafts_of(table, WORDS))
    assert {place for place in range(len(rows)) if f"$1{place}4" in answers} == asked


def test_a_negative_adjustment_of_cash_flows_is_not_asked_as_a_loss() -> None:
    text = """Cash flows

(in millions) | 2017 | 2016
Operating activities | |
Equity income, net of dividends | (108) | (97)
Net cash used by operating activities | (31) | (24)"""
    (table,) = find_tables(text)
    answers = " ".join(draft.answer for draft in drafts_of(table, WORDS))
    assert "108" not in answers


@pytest.mark.parametrize(
    ("label", "value", "is_asked"),
    [
        ("Average number of shares outstanding", "493", False),  # thousands? millions?
        ("Average number outstanding", "$ 493", False),
        ("Shares outstanding", "493,118,221", True),
    ],
)
def test_a_count_without_its_scale_is_not_asked(label: str, value: str, is_asked: bool) -> None:
    (table,) = find_tables(
        f"Stock\n\n | 2017 | 2016\nSales | $ 31 | $ 29\n{label} | {value} | {value}"
    )
    asked = [draft for draft in drafts_of(table, WORDS) if "493" in draft.answer]
    assert bool(asked) == is_asked


@pytest.mark.parametrize(
    ("label", "is_asked"),
    [
        ("Interest (expense)", False),
        ("Interest expense", False),
        ("Income tax (expense)", False),
        ("Operating (expenses)", False),
        ("Other (income) expense, net", False),  # its sign takes a second reading
        ("Interest income (expense)", True),
        ("Other (expense) income, net", True),
        ("Net income (loss)", True),
    ],
)
def test_an_expense_is_never_a_negative_amount(label: str, is_asked: bool) -> None:
    text = "Statements of income (in thousands)\n\n | 2017 | 2016\nNet sales | $ 9,210 | $ 8,410\n"
    text += f"{label} | (6,310) | (7,110)\nGross profit | 4,110 | 3,440"
    (table,) = find_tables(text)
    asked = [draft.answer for draft in drafts_of(table, WORDS) if " -$" in draft.answer]
    assert bool(asked) is is_asked


@pytest.mark.parametrize("note", ["H", "7", "12", "2.1", "(H)", "B, C", "7, 8"])
def test_a_number_of_the_column_of_notes_is_no_part_of_a_label(note: str) -> None:
    table = (
        "Statements of income (in thousands)\n\n                        Note      2017      2016\n"
        "Net sales                         $ 9,210   $ 8,410\n"
        f"Interest expense        {note:<8}   5,120     6,330\n"
        "Gross profit                        4,110     3,440\n"
    )
    asked = [draft.terse for table in find_tables(table) for draft in drafts_of(table, WORDS)]
    assert asked
    assert not any(draft.startswith(f"interest expense {note}") for draft in asked)


def test_a_generic_word_before_a_name_is_part_of_it_or_not() -> None:
    text = "Revenues (in millions)\n\n | 2017 | 2016\n"
    text += "Other Bets revenues | $ 4,410 | $ 8,010\nOther wool revenues | $ 1,510 | $ 1,720"
    (table,) = find_tables(text)
    asked = [draft.terse for draft in drafts_of(table, WORDS)]
    assert asked
    assert not any("Bets" in draft for draft in asked)
