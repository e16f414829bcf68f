"""Tables as a model is shown them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.suites.shared.tables.sheets import Sheet, in_markdown, read_sheets, write_sheets

_LINES = (st.text(max_size=20) | st.text("|-\\# a", max_size=8)).map(
    lambda text: " ".join(text.split())
)
_SHEETS = st.lists(
    st.builds(
        Sheet,
        index=st.integers(0, 99),
        pre_text=_LINES,
        cells=st.lists(st.lists(_LINES, min_size=1, max_size=4).map(tuple), max_size=4).map(tuple),
    ),
    max_size=4,
)


@given(_SHEETS)
def test_what_is_written_is_read_again(sheets: list[Sheet]) -> None:
    assert read_sheets(write_sheets(sheets)) == sheets


@given(_SHEETS)
def test_the_same_cells_are_read_from_markdown(sheets: list[Sheet]) -> None:
    assert read_sheets(in_markdown(write_sheets(sheets))) == sheets


def test_a_table_in_markdown() -> None:
    cells = (("", "2023"), ("Net sales", "$1,234"), ("A|B", "\\"))
    text = write_sheets([Sheet(index=3, pre_text="Sales", cells=cells)])
    assert in_markdown(text) == (
        "### Table 3: Sales\n|  | 2023 |\n|---|---|\n| Net sales | $1,234 |\n| A\\|B | \\\\ |"
    )


def test_a_table_as_it_is_shown() -> None:
    sheet = Sheet(
        index=3, pre_text="Sales by\nregion", cells=(("", "2023"), ("Net sales", "$1,234"))
    )
    assert write_sheets([sheet]) == '### Table 3: Sales by region\n,2023\nNet sales,"$1,234"'


@pytest.mark.parametrize(
    "cells",
    [
        (("", "x" * 200_000),),  # longer than the csv module takes by default
        (("### Table 1: Lies",), ("#", "5")),  # the head of a table
        (("a",), ("|---|",), ("b",)),  # the rule of a table in Markdown
    ],
    ids=["long", "head", "rule"],
)
def test_no_cell_is_too_long_or_poses_as_something_else(cells: tuple[tuple[str, ...], ...]) -> None:
    sheet = Sheet(index=0, pre_text="", cells=cells)
    assert read_sheets(write_sheets([sheet])) == [sheet]
    assert read_sheets(in_markdown(write_sheets([sheet]))) == [sheet]
