"""A cell is asked for only if its row's label says what its table measures."""

from __future__ import annotations

import pytest

from tasks.quantities.text_tables import find_tables
from tasks.suites.refusalbench.base.cells import statements_of_table

LABEL = "Research and development expenses"


def asked(caption: str, label: str = LABEL) -> list[str]:
    text = (
        f"{caption}\n\n(In millions) | 2023 | 2022\nNet revenue | $900 | $800\n{label} | $90 | $80"
    )
    (table,) = find_tables(text)
    found = statements_of_table(
        table, text, "Acme", frozenset({"research", "development", "expenses"})
    )
    return [each.query for each in found if "research" in each.query]


def test_a_plain_table_is_asked_for_its_label() -> None:
    assert asked("Our expenses were as follows:") == [
        "What were Acme's research and development expenses in 2023?",
        "What were Acme's research and development expenses in 2022?",
    ]


@pytest.mark.parametrize(
    "caption",
    [
        "Our expenses, excluding stock-based compensation, were as follows:",
        "The table excludes share-based compensation.",
        "Expenses exclusive of equity awards:",
        "Non-GAAP expenses were as follows:",
        "Adjusted expenses:",
        "Expenses include stock-based compensation as follows:",
    ],
)
def test_a_table_of_another_measure_is_not(caption: str) -> None:
    assert asked(caption) == []


@pytest.mark.parametrize(
    "limit", ["exclusive of depreciation", "including amortization", "net of tax"]
)
def test_a_label_that_is_limited_in_brackets_is_not(limit: str) -> None:
    assert asked("Our expenses were as follows:", f"{LABEL} ({limit})") == []
