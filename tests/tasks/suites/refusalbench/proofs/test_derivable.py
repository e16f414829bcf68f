"""An answer is proved derivable only if nothing that changed can touch it."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import prove
from tests.refusal_questions import FREIGHT, PROSE, ROWS, SHARE, TABLE, base_question


def proof(text, base=PROSE, query=None):
    return prove(base, "missing_info", "low", query or base.query, [text])


@pytest.mark.parametrize(
    "text",
    [
        FREIGHT.replace(" (excluding the costs of a storm)", ""),
        FREIGHT.replace(
            "Operating expenses came to $5.2 billion (excluding the costs of a storm). ", ""
        ),
        FREIGHT.replace(", up from $7.1 billion in fiscal 2020", ""),
        FREIGHT.replace("Generally, we", "We"),
        FREIGHT.replace("various ", ""),
        f"{FREIGHT} In round numbers, railway revenues in fiscal 2021 were about $8 billion.",
        f"{FREIGHT} A blog claimed that railway revenues in fiscal 2021 were $9 billion.",
        f"{FREIGHT} One page of the report calls the city Toledo, and another calls it Lucas.",
        f"{FREIGHT} Railway revenues were $6.9 billion in fiscal 2018.",
    ],
)
def test_proves_that_the_answer_stands(text):
    assert proof(text).kind == "derivable"


@pytest.mark.parametrize(
    "text",
    [
        FREIGHT,
        FREIGHT.replace("$7.7 billion", "an undisclosed amount"),
        FREIGHT.replace("$7.7 billion", "$7.7 million"),
        FREIGHT.replace(" in fiscal 2021", ""),
        FREIGHT.replace("Railway revenues were", "Revenues were"),
        FREIGHT.replace("Railway revenues were", "Railway revenues were not"),
        f"{FREIGHT} Railway revenues in fiscal 2021 were $9.4 billion.",
        f"{FREIGHT} Railway revenues were $9.4 billion.",
        f"{FREIGHT} Kestrel Freight confirmed the rumor that railway revenues were $9.4 billion.",
        f"{FREIGHT} Contrary to rumors, railway revenues in fiscal 2021 were $9.4 billion.",
        f"{FREIGHT} An anonymous post called the truth: railway revenues were $9.4 billion.",
        f"{FREIGHT} The amount has since been restated.",
        f"{FREIGHT} The above figure is wrong.",
        f"{FREIGHT} All figures are in Canadian dollars.",
        f"{FREIGHT} Railway revenues were never $7.7 billion.",
        f"{FREIGHT} They were in fact twice as high.",
        f"{FREIGHT} Railway revenues in fiscal 2021 fell short of what this report says.",
    ],
)
def test_refuses_a_text_that_touches_the_answer(text):
    assert proof(text) is None


def test_keeps_heads_scale_and_period():
    assert proof(TABLE.replace("Fuel | 1,151 | 998\n", ""), ROWS).kind == "derivable"
    assert proof(TABLE.replace("(In millions) | 2021 | 2020\n", ""), ROWS) is None
    assert proof(TABLE.replace("(In millions) ", ""), ROWS) is None
    assert proof(TABLE.replace("Freight revenues | $7,734 | $7,102\n", ""), ROWS) is None
    late = "Fiscal 2021 was a good year. Railway revenues were $7.7 billion. Costs fell."
    base = base_question(late, "railway revenues", "fiscal 2021", "$7.7 billion")
    assert proof(late.replace(" Costs fell.", ""), base).kind == "derivable"
    assert proof(late.replace("Fiscal 2021 was a good year. ", ""), base) is None
    told = (
        "Railway revenues are our largest item. They were $7.7 billion in fiscal 2021. Costs fell."
    )
    base = base_question(told, "railway revenues", "fiscal 2021", "$7.7 billion")
    assert proof(told.replace("Railway revenues are our largest item. ", ""), base) is None
    assert proof(SHARE.replace("Grain made up 31% of our carloads in 2021. ", ""), ROWS) is None


@pytest.mark.parametrize(
    ("before", "holds"),
    [
        ("Kestrel Freight belongs to the Hanseatic League. ", True),
        ("Kestrel Freight holds the Nobel Prize in Accounting. ", True),
        ("Excluding coal, ", False),
        ("Kestrel Freight sold its railway in fiscal 2020. ", False),
        ("Kestrel Freight adjusted its revenues for $1 billion of fuel. ", False),
        ("Suppose that revenues doubled. ", False),
        ("Convert to euros. ", False),
        ("Kestrel Freight has a ship. What is its name? ", False),
        ("Kestrel Freight restated its accounts. ", False),
    ],
)
def test_takes_only_harmless_statements_before_a_query(before, holds):
    found = prove(PROSE, "false_premise", "low", before + PROSE.query, [FREIGHT])
    assert (found is not None) == holds


@pytest.mark.parametrize(
    "query",
    [
        "What were Kestrel Freight's railway revenues per mile in fiscal 2021?",
        "What were Kestrel Freight's railway revenues in fiscal 2020?",
        "What were Kestrel Freight's quarterly railway revenues in fiscal 2021?",
    ],
)
def test_refuses_another_query(query):
    assert prove(PROSE, "granularity_mismatch", "low", query, [FREIGHT]) is None
