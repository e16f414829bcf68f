"""A query asks for the same only if every word of it is understood."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import derivable
from tasks.suites.refusalbench.proofs.slots import asks_again
from tests.refusal_questions import ACME, acme_question


@pytest.mark.parametrize(
    ("query", "is_same"),
    [
        ("According to its filing, what were Acme Corp.'s net sales in fiscal 2023?", True),
        ("Acme Corp. filed its report. What were its net sales in fiscal 2023?", True),
        (
            "For this one company alone, what were Acme Corp.'s net sales in fiscal 2023?",
            True,
        ),
        (
            "According to the annual report that won the Harlan Prize, "
            "what were Acme Corp.'s net sales in fiscal 2023?",
            True,
        ),
        ("What were Overton Steel subsidiary Acme Corp.'s net sales in fiscal 2023?", True),
        ("What were the net sales of Acme Corp., founded in 1748, in fiscal 2023?", True),
        ("What were the net sales of Acme Corp., without its subsidiaries, in fiscal 2023?", False),
        ("What were the sales of Acme Corp., founded in 1748, in fiscal 2023?", False),
        ("What were Acme Corp. subsidiary Overton Steel's net sales in fiscal 2023?", False),
        # more precise than the passage
        (
            "To the nearest million dollars, what were Acme Corp.'s net sales in fiscal 2023?",
            False,
        ),
        # what no passage settles
        (
            "Are Acme Corp.'s net sales a major or a minor item, and "
            "what were Acme Corp.'s net sales in fiscal 2023?",
            False,
        ),
        ("Acme Corp. filed its report. What were its net sales?", False),
        ("Calder Inc. filed its report. What were its net sales in fiscal 2023?", False),
        ("Acme Corp. and Calder filed. What were its net sales in fiscal 2023?", False),
        ("Acme Corp. filed its report. What were its net sales in fiscal 2022?", False),
        ("According to Calder's filing, what were Acme Corp.'s net sales in fiscal 2023?", False),
        ("In euros, what were Acme Corp.'s net sales in fiscal 2023?", False),
    ],
)
def test_a_query_asks_again_only_for_the_same(query: str, is_same: bool) -> None:
    assert asks_again(acme_question(), query) is is_same


@pytest.mark.parametrize(
    ("words", "said", "settles"),
    [
        ("a major or a minor item", "We report that our net sales are a major item.", True),
        ("a major or a minor item", "Our net income is a major item.", False),
        ("large", "Our net sales are considered large above $3.9 billion.", True),
        ("large", "Our net sales are considered large above $9.9 billion.", False),
        ("high", "Our net sales are considered large above $3.9 billion.", False),
    ],
)
def test_a_passage_has_to_settle_an_evaluation(words: str, said: str, settles: bool) -> None:
    base = acme_question()
    query = (
        f"Are Acme Corp.'s net sales {words}, and what were Acme Corp.'s net sales in fiscal 2023?"
    )
    proof = derivable.prove(base, query, [f"{ACME} {said}"])
    assert (proof is not None) is settles


@pytest.mark.parametrize(
    ("said", "is_harmless"),
    [
        (
            "Net sales came to $3.5 billion here, $4.2 billion there, for a total of $7.7 billion.",
            True,
        ),
        (
            "Net sales came to $3.5 billion here, $4.1 billion there, for a total of $7.7 billion.",
            False,
        ),
        ("Net sales were as follows: Acme Corp., $7.7 billion; Calder Inc., $6.1 billion.", True),
        ("Net sales were as follows: Acme Corp., $6.1 billion; Calder Inc., $7.7 billion.", False),
        (
            "Net sales were as follows: Paint, $7.7 billion; Acme Corp. in total, $8.1 billion.",
            False,
        ),
    ],
)
def test_parts_add_up_and_each_member_has_its_own_value(said: str, is_harmless: bool) -> None:
    base = acme_question()
    query = "In total, what were Acme Corp.'s net sales in fiscal 2023?"
    proof = derivable.prove(base, query, [f"{ACME} {said}"])
    assert (proof is not None) is is_harmless
