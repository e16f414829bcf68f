"""Tables as a model is shown them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.suites.shared.tables.sheets import (
    Sheet,
    cells_of,
    markdown_rows,
    read_sheets,
    write_sheets,
)

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
    for cells in (sheet.cells for sheet in sheets if sheet.cells):
        assert cells_of(markdown_rows(cells).split("\n")) == cells


def test_a_table_in_markdown() -> None:
    cells = (("", "2023"), ("Net sales", "$1,234"), ("A|B", "\\"))
    lines = ("|  | 2023 |", "|---|---|", "| Net sales | $1,234 |", r"| A\|B | \\ |")
    assert markdown_rows(cells) == "\n".join(lines)


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
    assert cells_of(markdown_rows(cells).split("\n")) == cells
