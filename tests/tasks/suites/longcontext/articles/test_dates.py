"""Dates: one layout for a column, or drawn."""

from datetime import date

import pytest

from tasks.core.errors import WrongSettings
from tasks.suites.longcontext.articles.dates import FIRST, LAST, draw_day, read_days, states_date

DAY = date(2021, 4, 3)


@pytest.mark.parametrize(
    "cell",
    [
        "2021-04-03",
        "2021-04-03T09:30:00+00:00",
        "2021-04-03 09:30:00",
        "2021/04/03",
        "20210403",
        "April 3, 2021",
        "3 Apr 2021",
        "Sat, 03 Apr 2021 09:30:00 GMT",
    ],
)
def test_reads_dates_that_have_one_reading(cell: str) -> None:
    assert read_days([cell, ""], "date") == [DAY, None]


def test_the_column_decides_which_number_is_the_day() -> None:
    assert read_days(["03/04/2021", "25/04/2021"], "date") == [DAY, date(2021, 4, 25)]
    assert read_days(["04/03/2021", "04/25/2021"], "date") == [DAY, date(2021, 4, 25)]


def test_refuses_to_guess_which_number_is_the_day() -> None:
    with pytest.raises(WrongSettings, match="'date' can be read in two ways, such as '03/04/2021'"):
        read_days(["03/03/2021", "03/04/2021"], "date")
    assert read_days(["03/03/2021"], "date") == [date(2021, 3, 3)]


def test_a_few_cells_may_be_no_dates() -> None:
    cells = ["2021-04-03"] * 10 + ["2021-02-30"]
    assert read_days(cells, "date") == [DAY] * 10 + [None]


@pytest.mark.parametrize("cells", [["n/a", "2021-04-03"], ["", ""]])
def test_refuses_a_column_that_holds_no_dates(cells: list[str]) -> None:
    with pytest.raises(WrongSettings, match="Column 'date' should hold dates"):
        read_days(cells, "date")


def test_drawn_days_cover_two_years_whatever_the_order() -> None:
    days = [draw_day(7, f"news-{number}") for number in range(4_000)]
    assert days[17] == draw_day(7, "news-17")
    assert days[17] != draw_day(8, "news-17")
    assert FIRST <= min(days) < max(days) <= LAST
    months = {(day.year, day.month) for day in days}
    assert len(months) == 24


@pytest.mark.parametrize(
    "title",
    [
        "November 18, 2013: a report on the rupee",
        "Report: 8 Sept. 2014",
        "Acme on 2014-09-08",
        "Acme on 8/9/2014",
    ],
)
def test_a_title_with_a_whole_date_states_it(title: str) -> None:
    assert states_date(title)


@pytest.mark.parametrize(
    "title", ["Holiday on April 24", "The year 2014 ahead", "Range 2270-2350", "Nifty at 7600-7730"]
)
def test_a_part_of_a_date_states_none(title: str) -> None:
    assert not states_date(title)
