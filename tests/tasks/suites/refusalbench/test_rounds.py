"""The number of cases that a round needs."""

from __future__ import annotations

import math

import pytest

from tasks.suites.refusalbench.rounds import samples_per_round


@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds", "n"), [(0.1, 0.05, 1, 185), (0.05, 0.05, 4, 1_016)]
)
def test_rounds_need_as_many_cases_as_the_bound_says(
    epsilon: float, delta: float, rounds: int, n: int
) -> None:
    def bound(n: int) -> float:
        return 2 * rounds * math.exp(-2 * n * epsilon**2)

    assert samples_per_round(epsilon, delta, rounds) == n
    assert bound(n) <= delta < bound(n - 1)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rounds"),
    [(0, 0.05, 1), (1, 0.05, 1), (-0.1, 0.05, 1), (0.1, 0, 1), (0.1, 1, 1), (0.1, 0.05, 0),
     (math.nan, 0.05, 1)],
)  # fmt: skip
def test_what_bounds_nothing_is_refused(epsilon: float, delta: float, rounds: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        samples_per_round(epsilon, delta, rounds)
