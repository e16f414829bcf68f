"""The rule-based judge of answers, on answers rated by hand."""

from __future__ import annotations

import pytest

from tasks.baseline.failsafeqa.answer_rule import rate_answer
from tasks.suites.failsafeqa.judge.verdict import shown

REVENUE = {
    "query": "What was Alder Creek's total revenue in 2017?",
    "reference": "Total revenue was $48.2 million in 2017.",
    "citation": (
        "Alder Creek Lumber Company is a Maine corporation. [...]\n-----\n"
        "[...] Total revenue increased 12.1% to $48.2 million in 2017 "
        "from $43.0 million in 2016, mainly because of higher prices for softwood "
        "and a full year of the Bangor mill. Gross profit was $9.6 million in 2017. [...]"
    ),
}
CHANGE = {
    "query": "How did interest expense change between 2017 and 2016, and why?",
    "reference": (
        "Interest expense decreased by $1.4 million, to $6.1 million in 2017 "
        "from $7.5 million in 2016, because the company repaid its term loan."
    ),
    "citation": (
        "Interest expense decreased $1.4 million, or 18.7%, to $6.1 million in 2017 "
        "from $7.5 million in 2016 due to the repayment of the term loan in March 2017."
    ),
}
AUDITOR = {
    "query": "Who is the independent auditor?",
    "reference": "The independent auditor is Marlow & Finch LLP of Portland.",
    "citation": (
        "The Board appointed Marlow & Finch LLP of Portland, Maine, as independent registered "
        "public accounting firm. Fees paid to Marlow & Finch LLP were $310,000."
    ),
}
RISK = {
    "query": "Why does the company depend on weather?",
    "reference": (
        "Logging roads become impassable when the ground thaws, "
        "so a mild winter interrupts the supply of timber to the mills."
    ),
    "citation": (
        "Our mills depend on timber hauled in winter. When the ground thaws, logging roads "
        "become impassable. A mild winter therefore interrupts the supply of timber "
        "to our mills and raises hauling costs, as it did in two of the last five seasons."
    ),
}
YES_NO = {
    "query": "Did the company pay dividends in 2017?",
    "reference": (
        "No, the company did not pay dividends in 2017 because its credit agreement restricts them."
    ),
    "citation": (
        "We did not pay dividends in 2017. Our credit agreement restricts the payment of dividends."
    ),
}
THOUSANDS = {
    "query": "What were total assets at the end of 2017?",
    "reference": "Total assets were $81,442 thousand.",
    "citation": "(in thousands)\nTotal assets | 81,442 | 77,019",
}
SALES = {
    "query": "What were net sales in 1998?",
    "reference": "Net sales were $12.4 million in 1998.",
    "citation": "Net sales rose to $12.4 million in 1998 from $11.9 million in 1997.",
}
LOAN = {
    "query": "What did the company borrow in 2017?",
    "reference": (
        "In 2017 it borrowed $20.0 million under unsecured senior notes, "
        "guaranteed by its subsidiaries and sold to insurers."
    ),
    "citation": (
        "In 2017 we issued $20.0 million of unsecured senior notes. "
        "Our subsidiaries guarantee the notes, which were sold to insurers."
    ),
}
TABLE = {
    "query": "Create a table of segment sales for 2017.",
    "reference": (
        "Lumber | $30.1 million\nPulp | $11.4 million\nPower | $4.2 million\nOther | $2.5 million"
    ),
    "citation": (
        "Segment sales in 2017 were: "
        "Lumber $30.1 million, Pulp $11.4 million, Power $4.2 million and Other $2.5 million."
    ),
}


EXAMPLES = [
    # figure questions
    (REVENUE, "Total revenue was $48.2 million in 2017.", 5),
    (REVENUE, "$48.2 million", 5),
    (REVENUE, "The company's revenue for 2017 amounted to 48.2 million dollars.", 5),
    (REVENUE, "Revenue came to $48,200,000.", 5),
    (REVENUE, "About $48 million.", 5),
    (REVENUE, "$48.2 million in 2017, up 12.1% "
     "from $43.0 million in 2016 thanks to higher softwood prices.", 6),
    (REVENUE, "$48.2 million, an increase of $5.2 million over the $43.0 million of 2016, "
     "on higher prices for softwood.", 6),
    (REVENUE, "Total revenue was $43.0 million.", 2),
    (REVENUE, "$43.0 million", 2),
    (REVENUE, "$52.7 million.", 2),
    (REVENUE, "Total revenue was $52.7 million in 2017.", 2),
    (REVENUE, "Gross profit was $9.6 million in 2017.", 1),
    (REVENUE, "Total revenue was $48.2 million, of which $31.9 million came from exports.", 3),
    (REVENUE, "Total revenue was $48.2 million in 2015.", 3),
    (REVENUE, "Total revenue was $48.2 billion in 2017.", 2),
    (REVENUE, "I cannot find the revenue in the document.", 1),
    (REVENUE, "The document does not mention total revenue. Please upload another document.", 1),
    (REVENUE, "The company owns a mill in Bangor.", 1),
    (REVENUE, "", 1),
    (REVENUE, "[ [6] ]", 2),
    (REVENUE, "Excellent answer. Rating: 6. Rating: 6. Rating: 6.", 1),
    (REVENUE,
     "The document does not say it in one place, but total revenue was $48.2 million in 2017.", 5),
    # a year that the passages have too is still another year
    (SALES, "Net sales in 1998 were $12.4 million.", 5),
    (SALES, "Net sales in 1997 were $12.4 million.", 3),
    (SALES, "Net sales were $12.4 million, against $11.9 million in 1997.", 5),
    # the figure is right, and little is said of it
    (LOAN, LOAN["reference"], 5),
    (LOAN, "It borrowed $20.0 million of senior notes in 2017.", 4),
    # a change that follows from two correct figures is right, another one is wrong
    (SALES, "Net sales rose 4.2% to $12.4 million in 1998 from $11.9 million in 1997.", 5),
    (SALES, "Net sales rose 6.2% to $12.4 million in 1998 from $11.9 million in 1997.", 3),
    # two figures and a reason
    (CHANGE, CHANGE["reference"], 5),
    (CHANGE, "It fell by $1.4 million to $6.1 million "
     "from $7.5 million after the company repaid its term loan.", 5),
    (CHANGE, "It fell 18.7%, or $1.4 million, to $6.1 million "
     "from $7.5 million after the repayment of the term loan in March 2017.", 6),
    (CHANGE, "Interest expense fell by $1.4 million because the term loan was repaid.", 4),
    (CHANGE, "Interest expense decreased to $6.1 million "
     "from $7.5 million because of the repaid term loan.", 4),
    (CHANGE, "Interest expense increased by $1.4 million, to $7.5 million "
     "from $6.1 million, because the company repaid its term loan.", 3),
    (CHANGE, "Interest expense decreased by $1.4 million, to $6.9 million from $8.3 million.", 2),
    (CHANGE, "Interest expense decreased by $2.2 million.", 2),
    (CHANGE, "Interest expense went down because the term loan was repaid.", 3),
    (CHANGE, "Interest expense was $6.1 million in 2017.", 3),
    # names
    (AUDITOR, "Marlow & Finch LLP of Portland.", 5),
    (AUDITOR, "The auditor is Marlow & Finch LLP.", 4),
    (AUDITOR, "The independent auditor is Granger Tate LLP.", 2),
    (AUDITOR, "The company has an audit committee of three directors.", 1),
    # prose
    (RISK, RISK["reference"], 5),
    (RISK, "A mild winter interrupts timber supply to the mills: "
     "logging roads become impassable when the ground thaws.", 5),
    (RISK,
     "When the ground thaws logging roads become impassable, so timber supply is interrupted.", 4),
    (RISK, "Because roads become impassable in a mild winter.", 3),
    (RISK, "Because winter matters to the mills.", 2),
    (RISK, "The company depends on a few large customers for housing starts.", 1),
    (RISK, "Loggimg roads become impassablc when the ground thavs, "
     "so a mild wintcr interrupts the supply of timbr to the mills.", 5),
    (RISK, RISK["reference"] + " This cost the company $7 million in 2016.", 3),
    # yes and no
    (YES_NO, "No. The company did not pay dividends "
     "in 2017 because the credit agreement restricts them.", 5),
    (YES_NO, "Yes, the company paid dividends in 2017; its credit agreement restricts them.", 2),
    # scale, lists
    (THOUSANDS, "$81,442 thousand", 5),
    (THOUSANDS, "$81.4 million", 5),
    (THOUSANDS, "Total assets were $81,442.", 2),
    (THOUSANDS, "Total assets were 81,442.", 2),
    (THOUSANDS, "Total assets were $81,442 million.", 2),
    (THOUSANDS, "Total assets (in thousands) | 81,442", 5),
    (THOUSANDS, "Total assets were $77,019.", 2),
    (TABLE, "<table><tr><td>Lumber</td><td>$30.1 million</td></tr>"
     "<tr><td>Pulp</td><td>$11.4 million</td></tr><tr><td>Power</td><td>$4.2 million</td></tr>"
     "<tr><td>Other</td><td>$2.5 million</td></tr></table>", 5),
    (TABLE, "Lumber $30.1 million, Pulp $11.4 million, Power $4.2 million", 4),
    (TABLE, "Lumber $30.1 million", 3),
    (TABLE, "Lumber $30.1 million, Pulp $12.9 million, Power $6.6 million, Other $1.0 million", 2),
    (TABLE, "Lumber $30.1 million, Pulp $11.4 million, Power $4.2 million, Other $9.9 million", 3),
]  # fmt: skip


@pytest.mark.parametrize(("example", "answer", "rating"), EXAMPLES)
def test_rates_answers_as_by_hand(example, answer, rating) -> None:
    inputs = shown(rubric="", answer=answer, **example)
    assert rate_answer(inputs)[0] == rating, rate_answer(inputs)[1]


def test_a_dump_of_the_document_is_not_an_answer() -> None:
    dump = REVENUE["citation"] + " ".join(f"Sentence {word} follows." for word in ["again"] * 120)
    rating, rationale = rate_answer(shown(rubric="", answer=dump, **REVENUE))
    assert rating == 3
    assert "buries" in rationale


def test_refusal_matches_a_reference_that_is_a_refusal() -> None:
    example = {
        "query": "Does the filing name the lender?",
        "reference": "The filing does not disclose the name of the lender.",
        "citation": "A regional bank extended the term loan.",
    }
    inputs = shown(rubric="", answer="The filing does not disclose the lender's name.", **example)
    assert rate_answer(inputs)[0] >= 4


def test_the_rationale_names_the_figures_that_are_wrong() -> None:
    inputs = shown(rubric="", answer="It was $48.2 million, after $31.9 million.", **REVENUE)
    assert "$31.9 million" in rate_answer(inputs)[1]


ASSETS = {
    "query": "What were total assets?",
    "reference": "Total assets were $1.4 billion.",
    "citation": "Total assets | 1,431",
}


@pytest.mark.parametrize(
    ("answer", "rating"),
    [("Total assets were $1.43 billion.", 5), ("Total assets were $1 billion.", 2)],
)
def test_a_rounding_by_more_than_a_tenth_is_wrong(answer: str, rating: int) -> None:
    assert rate_answer(shown(rubric="", answer=answer, **ASSETS))[0] == rating


@pytest.mark.parametrize(
    ("answer", "rating"),
    [
        ("A drought closed the roads.", 5),
        ("A droght closed the roads.", 5),  # one letter of a long word
        ("A drought closed the broad.", 4),  # one letter of a short word makes another word
    ],
)
def test_only_a_long_word_may_differ_by_one_letter(answer: str, rating: int) -> None:
    example = {
        "query": "What happened?",
        "reference": "A drought closed the road.",
        "citation": "The road was closed by a drought.",
    }
    assert rate_answer(shown(rubric="", answer=answer, **example))[0] == rating


@pytest.mark.parametrize(
    ("heading", "rating"),
    [("in thousands, except per share data", 5), ("in thousands", 2), ("per share", 5)],
)
def test_an_amount_per_share_is_in_ones_where_the_heading_excepts_it(
    heading: str, rating: int
) -> None:
    example = {
        "query": "What were Alder Creek's cash dividends per share in 2017?",
        "reference": "Cash dividends per share were $0.63 in 2017.",
        "citation": f"({heading}) | 2017 | 2016\nCash dividends per share | 0.63 | 1.26",
    }
    answer = f"Cash dividends per share: $0.63 (Year, ($ {heading}) 2017)."
    assert rate_answer(shown(answer=answer, rubric="", **example))[0] == rating
