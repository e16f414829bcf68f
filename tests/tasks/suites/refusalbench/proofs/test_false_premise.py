"""A premise is proved false only against what the passages say."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import PROSE


def proof(query, text=None):
    passages = [text or PROSE.passages[0].text]
    return prove(PROSE, "false_premise", "medium", query, passages)


@pytest.mark.parametrize(
    "query",
    [
        "Why did Kestrel Freight's railway revenues fall to $4.4 billion in fiscal 2021?",
        "What led Kestrel Freight's railway revenues in fiscal 2021 to amount to $9.4 billion?",
        "Why did Kestrel Freight report no railway revenues in fiscal 2021?",
        "How much did Kestrel Freight's lunar tourism division earn in fiscal 2021?",
        "What share of railway revenues came from its unicorn product line?",
        "What colour did Kestrel Freight's railway revenues have in fiscal 2021?",
        "Whom did Kestrel Freight's railway revenues in fiscal 2021 marry?",
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
        "What colour did Kestrel Freight's locomotives have in fiscal 2021?",
        "What colour did Kestrel Freight's railway revenues charts have in fiscal 2021?",
    ],
)
def test_refuses_a_premise_that_may_hold(query):
    assert proof(query) is None


def test_refuses_changed_passages():
    query = "Why did Kestrel Freight report no railway revenues in fiscal 2021?"
    assert proof(query, "Kestrel Freight had no railway revenues in fiscal 2021.") is None


def test_refuses_a_part_that_the_passages_abbreviate():
    text = PROSE.passages[0].text
    base_text = f"{text} LTD grew."
    query = "How much did Kestrel Freight's lunar tourism division earn in fiscal 2021?"
    passage = type(PROSE.passages[0])(
        text=base_text, is_signal=True, document_id=None, start_char=0
    )
    base = type(PROSE)(
        **{
            **{name: getattr(PROSE, name) for name in PROSE.__dataclass_fields__},
            "passages": (passage,),
        }
    )
    assert prove(base, "false_premise", "medium", query, [base_text]) is None
