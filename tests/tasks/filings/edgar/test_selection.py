"""Sectors match the slices of metrics, and a sample fills every place."""

from __future__ import annotations

from importlib.resources import files

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from tasks.filings.edgar.query import SECTORS
from tasks.filings.edgar.selection import Seats


def test_named_sectors_are_the_slices_of_metrics() -> None:
    connection = duckdb.connect()
    connection.execute(
        (files("sql") / "macros" / "sector.sql").read_text().replace("macros.sector", "sector")
    )
    sliced = dict(
        connection.execute(
            "select format('{:04d}', i), sector(format('{:04d}', i)) from range(10000) r(i)"
        ).fetchall()
    )
    for name, (first, last) in SECTORS.items():
        codes = [code for code, sector in sliced.items() if sector == name]
        assert (int(min(codes)), int(max(codes)), len(codes)) == (first, last, last - first + 1)
    assert {*sliced.values()} == {*SECTORS, "unknown"}


def test_each_sector_gives_its_seats_until_none_is_left() -> None:
    seats = Seats((("finance", 0.5), ("2834", 0.5)), 3)
    assert seats.left == {"finance": 1, "2834": 2} or seats.left == {"finance": 2, "2834": 1}
    assert not seats.take(None)
    assert not seats.take("3571")
    while seats.take("6021"):
        pass
    assert seats.left["finance"] == 0
    while seats.take("2834"):
        pass
    assert seats.n_left == 0


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(1, 500))
def test_rounded_shares_add_up_to_the_sample(weights: list[int], n: int) -> None:
    mix = [(f"{1000 + place}", weight / sum(weights)) for place, weight in enumerate(weights)]
    seats = Seats(mix, n)
    assert seats.n_left == n
    assert all(abs(seats.left[sector] - share * n) < 1 + 1e-9 for sector, share in mix)
