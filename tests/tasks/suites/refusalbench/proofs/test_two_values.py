"""A contradiction is proved only if two plain statements differ on one measure and period."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import FREIGHT, MULTI, PROSE

CLASH = "Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion."


def proof(text, base=PROSE, *others, query=None):
    return prove(base, "contradiction", "medium", query or base.query, [text, *others])


@pytest.mark.parametrize(
    "added",
    [
        CLASH,
        "Management has also reported that Kestrel Freight's railway revenues in fiscal 2021 "
        "amounted to $77.0 billion.",
        f"{CLASH[:-1]}, and not $7.7 billion.",
    ],
)
def test_proves_two_values(added):
    assert proof(f"{FREIGHT} {added}").kind == "two_values"


def test_proves_a_value_in_noise():
    first, second = (passage.text for passage in MULTI.passages[1:])
    assert proof(FREIGHT, MULTI, first, f"{second} {CLASH}").kind == "two_values"
    assert proof(FREIGHT, MULTI, first, f"{second} Its railway revenues were $9.4 billion.") is None


@pytest.mark.parametrize(
    "added",
    [
        "Kestrel Freight's railway revenues in fiscal 2021 were $7,734 million.",
        "Kestrel Freight's railway revenues in fiscal 2021 were $7.7 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were $7,700,000 thousand.",
        "Kestrel Freight's railway revenues in fiscal 2021 were $8 billion.",
        "Kestrel Freight's railway revenues in fiscal 2020 were $9.4 billion.",
        "Kestrel Freight's railway revenues in the first quarter of fiscal 2021 were $1.9 billion.",
        "Kestrel Freight's revenues in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's railway expenses in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's gross railway revenues in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's railway revenues per mile in fiscal 2021 were $9.4 million.",
        "Harbor Mills' railway revenues in fiscal 2021 were $9.4 billion.",
        "The railway revenues of Kestrel Freight's competitor in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 may have been $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were budgeted at $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were more than $5 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were not $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 exceeded $5 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 increased by $0.6 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were €9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion before restatement.",
        "An analyst says that Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion.",
        "If so, Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion in error.",
        f"{CLASH} This value is a misprint.",
        f"{CLASH} It includes trucking.",
        "Kestrel Freight's railway revenues in fiscal 2021 were 9.4% higher.",
    ],
)
def test_refuses_what_is_no_contradiction(added):
    assert proof(f"{FREIGHT} {added}") is None


def test_refuses_a_replaced_statement():
    assert proof(FREIGHT.replace("$7.7 billion", "$9.4 billion")) is None
    sentences = FREIGHT.split(". ")
    assert proof(". ".join([sentences[0], CLASH.rstrip("."), *sentences[2:]])) is None


def test_refuses_a_changed_query():
    text = f"{FREIGHT} {CLASH}"
    assert proof(text, query="What were its operating expenses in fiscal 2021?") is None
