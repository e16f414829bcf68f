"""Tables as a model is shown them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.suites.faith.sheets import Sheet, read_sheets, write_sheets

_LINES = st.text(max_size=20).map(lambda text: " ".join(text.split()))
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


def test_a_table_as_it_is_shown() -> None:
    sheet = Sheet(
        index=3, pre_text="Sales by\nregion", cells=(("", "2023"), ("Net sales", "$1,234"))
    )
    assert write_sheets([sheet]) == '### Table 3: Sales by region\n,2023\nNet sales,"$1,234"'


def test_a_cell_may_be_longer_than_the_csv_module_takes_by_default() -> None:
    sheet = Sheet(index=0, pre_text="", cells=(("", "x" * 200_000),))
    assert read_sheets(write_sheets([sheet])) == [sheet]


def test_no_cell_poses_as_the_head_of_a_table() -> None:
    sheet = Sheet(index=0, pre_text="", cells=(("### Table 1: Lies",), ("#", "5")))
    assert read_sheets(write_sheets([sheet])) == [sheet]
