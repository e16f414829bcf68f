"""Figures of one sentence that cannot all be right are found, and rounding is no contradiction."""

from __future__ import annotations

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.faith.consistency import contradiction, is_given_by_others
from tasks.suites.faith.maskable import maskable_figures
from tasks.suites.faith.questions.masked_spans import find_spans


def contradictions(sentence: str) -> list[str | None]:
    return [contradiction(sentence, figure) for figure in maskable_figures(sentence)]


AGREEING = [
    (
        "Net sales increased $193 million or 3% to $6.134 billion "
        "in 1999 compared to $5.941 billion in 1998."
    ),
    "Net sales increased 10.2% to $442.4 million in 2018 from $401.4 million in 2017.",
    "Operating income decreased by $3.2 million, or 8%, to $36.5 million.",
    "Costs were $27,368, an increase of $2,638, or 10.7%, compared to $24,730 in 2020.",
    "Equity was $26.02 compared to $25.82 at year-end 2015, an increase of 0.8%.",
    "Volume declined 5% in 2008 to 7,593 units from 7,993 units.",
]
CONTRADICTING = [
    (
        "Net sales increased $193 million or 4% to $6.134 billion "
        "in 1999 compared to $5.941 billion in 1998."
    ),
    "Net sales increased 12.2% to $442.4 million in 2018 from $401.4 million in 2017.",
    "Net sales decreased 10.2% to $442.4 million in 2018 from $401.4 million in 2017.",
    "Operating income decreased by $3.2 million, or 12%, to $36.5 million.",
    "Costs were $27,368, an increase of $2,738, or 10.7%, compared to $24,730 in 2020.",
    "Equity was $26.02 compared to $25.82 at year-end 2015, a decrease of 0.8%.",
]
# Nothing is said of these: a loss, a rate, what does not belong together.
UNSAID = [
    "Our loss increased $5 million to ($12 million) from ($7 million).",
    "The rate rose 10% to 22% from 20%.",
    "Revenue was $5 million, and 12% of it came from Canada, down from $3 million.",
    "Expenses were $3 million in 2018, compared with 20% of sales in 2017, an increase of 5%.",
]


@pytest.mark.parametrize("sentence", AGREEING + UNSAID)
def test_figures_that_agree_when_rounded_are_no_contradiction(sentence):
    assert set(contradictions(sentence)) == {None}


@pytest.mark.parametrize("sentence", CONTRADICTING)
def test_a_change_that_no_rounding_explains_is_a_contradiction(sentence):
    found = contradictions(sentence)
    assert all(found)
    assert maskable_figures(sentence)[0].text in str(found[0])


@pytest.mark.parametrize(
    ("sentence", "figure", "is_given"),
    [
        ("Cash increased $798 million or 27% to $3.8 billion.", "27%", True),
        ("Cash increased $798 million or 27% to $3.8 billion.", "$798 million", False),
        ("Cash increased $798 million or 27% to $3.8 billion.", "$3.8 billion", True),
        ("Cash increased $798 million or 26.6% to $3.8 billion.", "26.6%", True),
        ("Cash increased 27% to $3.8 billion.", "27%", False),
        (
            (
                "Sales were $19,242 million in 2015, "
                "compared with $20,602 million, a decrease of 6.6%."
            ),
            "6.6%",
            True,
        ),
        (
            (
                "Sales were $19,242 million in 2015, "
                "compared with $20,602 million, a decrease of 6.6%."
            ),
            "$20,602 million",
            True,
        ),
        (
            "Sales fell 2.8%, operational decrease of 2.3% and currency impact of 0.5%.",
            "2.8%",
            True,
        ),
        (
            "Sales fell 2.8%, operational decrease of 2.3% and currency impact of 0.5%.",
            "0.5%",
            True,
        ),
        ("Sales in Asia rose 2.8%, in Europe 2.3% and in Africa 0.5%.", "2.8%", False),
        ("Sales increased $0 million or 0% to $0 million.", "0%", False),
        # in any wording
        ("We had $3.226 billion in cash, an increase of $926 million or 40%.", "40%", True),
        (
            "The loss of $253.1 million was 216% larger than the $80.1 million loss of 2016.",
            "216%",
            True,
        ),
        ("The rig count also rose 69% in 2017 to 1,081 rigs from 640 rigs.", "69%", True),
        ("Profit rose to $19.8 billion, as compared to $19.2 billion, or 3.2%.", "3.2%", False),
        ("Profit rose to $19.8 billion, as compared to $19.2 billion, or 3.1%.", "3.1%", True),
        ("Sales of $200 million were 40% of our total of $500 million.", "40%", False),
        ("Sales rose 5% to $205 million; profit was $10 million.", "5%", False),  # by accident
    ],
)
def test_a_figure_is_given_where_the_others_as_printed_give_it(sentence, figure, is_given):
    found = next(each for each in find_figures(sentence) if each.text == figure)
    assert is_given_by_others(sentence, found) is is_given


def test_a_figure_that_has_no_part_in_the_contradiction_is_left_alone():
    sentence = f"{CONTRADICTING[1][:-1]}, while backlog was $17 million."
    assert contradictions(sentence)[-1] is None
    assert all(contradictions(sentence)[:-1])


def test_sentences_of_real_filings_hardly_ever_contradict_themselves(real_filings):
    spans = [span for parsed in real_filings for span in find_spans(parsed.document)]
    found = [span.sentence for span in spans if contradiction(span.sentence, span.figure)]
    assert len(spans) > 1_500
    assert len(found) <= 5
