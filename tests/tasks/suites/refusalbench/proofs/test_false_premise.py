"""A premise is proved false only against what the passages say."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import PLANTS, PROSE, base_question

OPERATED = "Kestrel Freight operated 158 shops as of December 29, 2021"


def proof(query, text=None):
    passages = [text or PROSE.passages[0].text]
    return prove(PROSE, "false_premise", "medium", query, passages)


@pytest.mark.parametrize(
    "query",
    [
        "Why did Kestrel Freight's railway revenues fall to $4.4 billion in fiscal 2021?",
        "What led Kestrel Freight's railway revenues in fiscal 2021 to amount to $9.4 billion?",
        "Why did Kestrel Freight report no railway revenues in fiscal 2021?",
        "When did management realize that Kestrel Freight's railway revenues were $9.4 billion in"
        " fiscal 2021?",
        "What color were Kestrel Freight's railway revenues in fiscal 2021?",
        "At what temperature did Kestrel Freight's railway revenues melt in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues decide to amount to $7.7 billion in fiscal"
        " 2021?",
        "How did the fall of Kestrel Freight's railway revenues to zero in fiscal 2021 come about?",
        "How far below zero were Kestrel Freight's railway revenues in fiscal 2021?",
    ],
)
def test_proves_a_false_premise(query):
    assert proof(query).kind == "false_premise"


@pytest.mark.parametrize(
    "query",
    [
        PROSE.query,
        "Why did Kestrel Freight's railway revenues amount to $7.7 billion in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues amount to $7,700 million in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues rise to $7,734 million in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues come to nearly $8 billion in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues amount to $7.1 billion in fiscal 2020?",
        "Why did Kestrel Freight's railway revenues exceed $5 billion in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues not reach $9.4 billion in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues rise by $0.6 billion in fiscal 2021?",
        "Why did Kestrel Freight's coal revenues amount to $3.3 billion in fiscal 2021?",
        "Why did Kestrel Freight's railway revenues amount to $9.4 billion in fiscal 2022?",
        "Did Kestrel Freight's railway revenues reach $9.4 billion in fiscal 2021?",
        "What if Kestrel Freight's railway revenues had been $9.4 billion in fiscal 2021?",
        "Why did Kestrel Freight report no debt in fiscal 2021?",
        "Why did Kestrel Freight report no railway revenues in fiscal 1921?",
        "Why did Kestrel Freight report no growth of railway revenues in fiscal 2021?",
        "How much did Kestrel Freight's coal division earn in fiscal 2021?",
        "How much did Kestrel Freight's ports segment earn in fiscal 2021?",
        "What were railway revenues in fiscal 2021, which its lunar division reports?",
        "What were railway revenues in fiscal 2021 according to its lunar division?",
        "What were railway revenues in the opinion of its lunar division in fiscal 2021?",
        "Outside its lunar division, what were railway revenues in fiscal 2021?",
        "What color were Kestrel Freight's locomotives in fiscal 2021?",
        "What color were Kestrel Freight's railway revenues charts in fiscal 2021?",
        "What color were Kestrel Freight's railway revenues in fiscal 2022?",
        # silence is no contradiction
        "How much did Kestrel Freight's lunar tourism division earn in fiscal 2021?",
        "What share of railway revenues came from its unicorn product line?",
        # what management realized is true, or of another year
        "When did management realize that Kestrel Freight's railway revenues were $7.7 billion in"
        " fiscal 2021?",
        "When did management realize that Kestrel Freight's railway revenues were $7,700 million in"
        " fiscal 2021?",
        "When did management realize that Kestrel Freight's railway revenues were not $9.4 billion"
        " in fiscal 2021?",
        "When did management realize that Kestrel Freight's railway revenues were $9.4 billion in"
        " fiscal 2022?",
        # a fall of something else, in another year, or not to zero
        "How did the fall of Kestrel Freight's coal revenues to zero in fiscal 2021 come about?",
        "How did the fall of Kestrel Freight's railway revenues to zero in fiscal 2022 come about?",
        "How did the fall of Kestrel Freight's railway revenues in fiscal 2021 come about?",
        "How far below zero was Kestrel Freight's operating income in fiscal 2021?",
        "When did management deny that Kestrel Freight's railway revenues were $9.4 billion in"
        " fiscal 2021?",
    ],
)
def test_refuses_a_premise_that_may_hold(query):
    assert proof(query) is None


def test_refuses_changed_passages():
    query = "Why did Kestrel Freight report no railway revenues in fiscal 2021?"
    assert proof(query, "Kestrel Freight had no railway revenues in fiscal 2021.") is None


COUNTED = base_question(
    PLANTS,
    "shops",
    "December 29, 2021",
    "158",
    query="How many shops did Kestrel Freight operate as of December 29, 2021?",
)
RISEN = base_question(
    "Grain revenues increased 9% in 2021.",
    "increase in grain revenues",
    "2021",
    "9%",
    query="By what percentage did Kestrel Freight's grain revenues increase in 2021?",
)


def holds(base, query):
    passages = [passage.text for passage in base.passages]
    return prove(base, "false_premise", "medium", query, passages) is not None


def test_a_company_may_decide_and_its_shops_have_a_color():
    assert holds(COUNTED, f"When did management realize that {OPERATED.replace('158', '201')}?")
    assert not holds(COUNTED, f"When did management realize that {OPERATED}?")
    assert not holds(COUNTED, "Why did Kestrel Freight decide to operate 158 shops?")
    assert not holds(
        COUNTED,
        "What color was the number of shops operated by Kestrel Freight as of December 29, 2021?",
    )


def test_the_opposite_change_is_denied():
    query = "When did management realize that Kestrel Freight's grain revenues {} in 2021?"
    assert holds(RISEN, query.format("decreased"))
    assert not holds(RISEN, query.format("increased"))


OFFICER = "Ada M. Royce, 51, is Vice President of the Company. Ms. Royce was elected in 2015."


@pytest.mark.parametrize(
    ("query", "text", "is_false"),
    [
        ("In which city was Ada M. Royce buried?", OFFICER, True),
        ("Who took over when Ada M. Royce resigned as Vice President?", OFFICER, False),
        (
            "Who took over when Ada M. Royce resigned as Vice President of the Company?",
            OFFICER,
            True,
        ),
        ("In which city was Ada M. Royce born?", OFFICER, False),
        ("In which city was John Royce buried?", OFFICER, False),
        ("In which city was Ada M. Royce buried?", f"{OFFICER} Ms. Royce died in May.", False),
        (
            "Who took over when Ada M. Royce resigned as Vice President of the Company?",
            f"{OFFICER} Ms. Royce will resign in June.",
            False,
        ),
        (
            "How did the decline in volume bring about reduced demand for coal?",
            "The decline in volume was principally due to reduced demand for coal.",
            True,
        ),
        (
            "How did reduced demand for coal bring about the decline in volume?",
            "The decline in volume was principally due to reduced demand for coal.",
            False,
        ),
        (
            "How did the decline in volume bring about reduced demand for coal?",
            "The decline in volume led to reduced demand for coal.",
            False,
        ),
        (
            "How did the increase in interest income bring about higher market rates?",
            "Interest income rose to $22 million in 2021 because of higher market rates.",
            True,
        ),
        (
            "How did the increase in interest income bring about higher market rates?",
            "Interest income rose to $22 million in 2021, not because of higher market rates.",
            False,
        ),
        (
            "How did the increase in interest income bring about lower market rates?",
            "Interest income rose to $22 million in 2021 because of higher market rates.",
            False,
        ),
    ],
)
def test_a_passage_contradicts_an_end_or_a_reversed_cause(query, text, is_false):
    base = base_question(text, "railway revenues", "2021", "$7.7 billion")
    assert holds(base, query) is is_false
