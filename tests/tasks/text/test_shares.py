"""Shares have as many digits as they need."""

from __future__ import annotations

import pytest

from tasks.text.shares import interval, share
from tasks.warehouse.connection import open_warehouse


@pytest.mark.parametrize(
    ("value", "said"),
    [(1.0, "1.00"), (0.0, "0.00"), (0.434, "0.43"), (1 / 285, "0.004"), (2.25, "2.25")],
)
def test_nearly_1_is_not_shown_as_1_nor_nearly_0_as_0(value: float, said: str) -> None:
    assert share(value) == said


def test_sql_formats_shares_by_the_same_rule() -> None:
    values = [n / 10_000_000 for n in range(1, 10_000_000, 9_973)]
    values += [0.0, 1.0, 281 / 282, 1e-7, 1 - 1e-7]
    with open_warehouse({}, query="select macros.share_in_digits(0)") as connection:
        rows = connection.execute(
            "select unnest($values::double[]) as value, macros.share_in_digits(value)",
            {"values": values},
        ).fetchall()
    # C rounds a tie as Python does, so all shares can be compared
    assert [said for _, said in rows] == [share(value) for value, _ in rows]


def test_intervals_are_rounded_alike_by_sql_and_here() -> None:
    with open_warehouse({}, query="select macros.interval(0, 1)") as connection:
        for low, high, said in ((0.9312, 0.9998, "0.93 to 1.00"), (0.0004, 0.315, "0.00 to 0.32")):
            ((found,),) = connection.execute(
                "select macros.interval($1, $2)", [low, high]
            ).fetchall()
            assert found == interval(low, high) == said
        assert connection.execute("select macros.interval(null, 0.5)").fetchall() == [(None,)]
