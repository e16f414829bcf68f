"""How many fresh cases a round of evaluation needs."""

from __future__ import annotations

import math


def samples_per_round(epsilon: float, delta: float, rounds: int) -> int:
    """Return how many fresh cases each of some rounds needs for an error below `epsilon`.

    n >= ln(2 T / delta) / (2 epsilon^2). By Hoeffding's inequality the mean of n scores from 0 to 1
    is off by epsilon or more with a probability of at most 2 exp(-2 n epsilon^2); the union bound
    multiplies it by T rounds (paper, theorem 3.1 and appendix B.4). Example: 0.05, 0.05 and 4
    rounds need 1,016.

    Args:
        epsilon: the largest error of a model's score in any round.
        delta: the probability that it is exceeded in some round.
        rounds: T.
    """
    if not (0 < epsilon < 1 and 0 < delta < 1 and rounds >= 1):
        raise ValueError(
            f"No number of cases follows from an error of {epsilon}, a probability of {delta} and "
            f"{rounds} rounds. Give an error and a probability between 0 and 1, and a round or "
            f"more."
        )
    return math.ceil(math.log(2 * rounds / delta) / (2 * epsilon**2))
