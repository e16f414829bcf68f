"""Scales: which statement governs a table."""

from __future__ import annotations

import pytest

from tasks.quantities.governing import Figures, ScaleSection, governing
from tasks.quantities.scales import stated_in

TABLE = Figures(
    None,
    has_money=True,
    is_continued=False,
    rows=(("Orders", ("$3,751", "$3,100")), ("Services", ("4,210", "4,020"))),
)
NOTED = "Unless otherwise noted, tables are presented in U.S. dollars in millions."


def scales(*parts: str | ScaleSection | Figures) -> list[str | None]:
    return [stated.any_scale if stated else None for stated in governing(parts)]


def test_the_nearest_statement_counts() -> None:
    own = Figures(stated_in("(in billions)"), True, False, TABLE.rows)
    lead = "Results were as follows (in thousands):"
    assert scales(NOTED, lead, own) == ["billions"]
    assert scales(NOTED, lead, TABLE) == ["thousands"]
    assert scales(NOTED, "Orders rose.", TABLE) == ["millions"]


def test_amounts_that_end_in_000_are_whole_dollars() -> None:
    rows = (("Net sales", ("$71,113,000", "$65,602,000")), ("Costs", ("47,542,000", "45,168,000")))
    assert scales("Results", Figures(None, True, False, rows)) == ["ones"]
    shares = (("October", ("$8.63", "2,000,000")), ("November", ("$7.10", "2,000,000")))
    assert scales("Purchases", Figures(None, True, False, shares)) == [None]


def test_without_any_statement_the_text_shows_whole_dollars() -> None:
    text = "We owe $42,920 and $31,920, with interest of $1,269."
    rows = (("Notes payable", ("$42,920", "$31,920")), ("Interest", ("1,269", "308")))
    table = Figures(None, True, False, rows)
    assert scales(text, table) == ["ones"]
    assert scales("We owe $42,920.", table) == [None]
    assert scales(text, table, "Debt was as follows (in thousands):", TABLE) == [None, "thousands"]


@pytest.mark.parametrize(
    "text",
    ["($1,000's)", "(In $1,000)", "($K)", "(In hundreds)", "(dollars in MMs)", "(in thou.)",
     "(expressed in $1000s)", "(x 1,000)", "(Expressed in U.S. Dollars)", "(Dollars in units)"],
)  # fmt: skip
def test_a_unit_not_understood_ends_inheritance(text: str) -> None:
    assert scales(NOTED, "Orders", text, TABLE) == [None]
    assert scales(NOTED, "Orders", TABLE) == ["millions"]
    assert scales(NOTED, "Orders", "(In thousands)", text, TABLE) == ["thousands"]
