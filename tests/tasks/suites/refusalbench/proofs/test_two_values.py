"""A contradiction is proved only if two plain statements differ on one measure and period."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import FREIGHT, MULTI, PROSE, base_question

CLASH = "Kestrel Freight's railway revenues in fiscal 2021 were $9.4 billion."

SUM = base_question(
    "Coal had 34 shops, grain had 11 shops and ore had 30 shops in 2021. In 2021, we had 75 shops.",
    "shops",
    "2021",
    "75",
)
NET = base_question(
    "| 2021\nUS rate | 35.0%\nRate abroad | (13.4)%\nOther | (2.3)%\nEffective tax rate | 19.3%",
    "effective tax rate",
    "2021",
    "19.3%",
)
PART = base_question(
    "Coal revenues were $7.7 billion of total revenues of $8.4 billion in 2021.",
    "coal revenues",
    "2021",
    "$7.7 billion",
)
PRICE = base_question(
    "We sold 45,600,000 shares. They were sold at a price of $25 per share. The sale took a day."
    " The price of shares was $1.1 billion in 2021.",
    "price of shares",
    "2021",
    "$1.1 billion",
)
CELL = base_question(
    "(In millions) | 2021\nCash | $32,311\nLand | 2,455\nGoodwill | 207\nTotal assets | $34,973",
    "land",
    "2021",
    "$2,455 million",
)
TWO = base_question(
    "Revenue increased 9% in 2021 as rates rose by 15% and volume fell by 5%.",
    "increase in revenue",
    "2021",
    "9%",
)
FEW = base_question(
    "We had 2 plans in 2021. One is for officers, the other one for engineers.",
    "plans",
    "2021",
    "2",
)


def proof(text, base=PROSE, *others, query=None):
    return prove(base, "contradiction", "medium", query or base.query, [text, *others])


@pytest.mark.parametrize(
    "added",
    [
        CLASH,
        "Management has also reported that Kestrel Freight's railway revenues in fiscal 2021 "
        "amounted to $77.0 billion.",
        f"Kestrel Freight's report to shareholders of March 2022 states that its railway revenues "
        f"in fiscal 2021 were $7.7 billion. {CLASH}",
        "Kestrel Freight's railway revenues in fiscal 2021 were either $7.7 billion or $9.4 "
        f"billion, and never both. {CLASH}",
    ],
)
def test_proves_two_values(added):
    assert proof(f"{FREIGHT} {added}").kind == "two_values"


def test_reads_our_as_the_company_that_the_head_names():
    ours = "Our railway revenues in fiscal 2021 were $9.4 billion."
    for company, holds in (("Kestrel Freight", True), ("Harbor Mills", False)):
        text = f"[{company}, annual report]\n{FREIGHT}"
        base = replace(PROSE, passages=(replace(PROSE.passages[0], text=text),))
        assert (proof(f"{text} {ours}", base) is not None) is holds
    assert proof(f"{FREIGHT} {ours}") is None


def test_an_exclusion_claim_states_the_exclusion():
    def holds(added):
        found = prove(
            PROSE,
            "contradiction",
            "high",
            PROSE.query,
            [f"{FREIGHT} {added}"],
            "Mutual Exclusion Claim",
        )
        return found is not None

    either = "Kestrel Freight's railway revenues in fiscal 2021 were either $7.7 billion or"
    assert holds(f"{either} $9.4 billion, and never both. {CLASH}")
    assert not holds(CLASH)
    assert not holds(f"{either} $9.4 billion, and never both.")
    assert not holds(f"{either} $8.1 billion, and never both. {CLASH}")
    assert not holds(f"{either} $9.4 billion, depending on the method. {CLASH}")


@pytest.mark.parametrize(
    ("base", "added"),
    [
        (SUM, "Kestrel Freight's shops in 2021 were 108."),
        (NET, "Kestrel Freight's effective tax rate in 2021 was 15.1%."),
        (PART, "Kestrel Freight's coal revenues in 2021 were $9.4 billion."),
        (PRICE, "Kestrel Freight's price of shares in 2021 was $1.3 billion."),
        (CELL, "Kestrel Freight's land in 2021 was $2,981 million."),
        (TWO, "Kestrel Freight's increase in revenue in 2021 was 12%."),
        (FEW, "Kestrel Freight had 3 plans in 2021."),
    ],
)
def test_refuses_what_the_passage_settles(base, added):
    text = base.passages[0].text
    assert proof(f"{text}\n\n{added}", base) is None


def test_a_flat_exclusion_needs_no_equal_standing():
    text = f"{PART.passages[0].text} Kestrel Freight's coal revenues in 2021 were $77.0 billion."
    assert prove(PART, "contradiction", "medium", PART.query, [text]) is None
    assert prove(PART, "contradiction", "high", PART.query, [text]).kind == "two_values"


@pytest.mark.parametrize(
    ("date", "holds"),
    [
        ("January 20, 2022", True),
        ("October 20, 2021", True),
        ("March 2021", False),  # before the year's end, so perhaps a forecast
        ("September 25, 2021", False),
    ],
)
def test_a_source_is_dated_after_the_year(date, holds):
    text = f"[Kestrel Freight, annual report, fiscal year ended September 25, 2021]\n{FREIGHT}"
    base = replace(PROSE, passages=(replace(PROSE.passages[0], text=text),))
    said = f"Our press release of {date} states that our railway revenues in fiscal 2021 were"
    assert (proof(f"{text} {said} $9.4 billion.", base) is not None) is holds


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
        f"{CLASH[:-1]}, and not $7.7 billion.",
        f"{CLASH[:-1]}, and at no time $7.7 billion.",
        "Kestrel Freight's letter to shareholders of March 2020 states that railway revenues in "
        "fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's corrected report to shareholders of March 2022 states that its railway "
        "revenues in fiscal 2021 were $9.4 billion.",
        "Kestrel Freight's railway revenues in fiscal 2021 were either $7.7 billion or $9.4 "
        "billion, and never both.",
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
