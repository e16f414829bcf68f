"""Tests of two models on the same units or in two samples, and what a release could tell apart.

Holm's correction is over the family that the caller gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special  # `scipy.stats` takes half a second to import

Floats = NDArray[np.float64]
Statistic = Callable[[Sequence[Floats]], Floats]

_EXACT_GROUPS = 13  # 2^13 exchanges; more groups are exchanged at random
# Random exchanges: more for many pairs, or Holm's correction could never find a difference.
_EXCHANGES, _EXCHANGES_PER_CELL = 9_999, 40
_SEED = 20_000
# SciPy's rule: an exchange whose statistic is that far below the observed one is as extreme.
_ROUNDED = 1e-14
_BLOCK = 1 << 22  # numbers held at once


def mcnemar_p(only_one: ArrayLike, only_other: ArrayLike) -> Floats:
    """Return McNemar's exact two-sided p for scores of 0 and 1 on independent units.

    Source: the binomial test of the units that one model alone is right on (McNemar 1947), its
    distribution as an incomplete beta function (Abramowitz and Stegun 1964, 26.5.24). Example:
    1 against 6 gives 0.125; none against none gives 1.
    """
    fewer, more = np.minimum(only_one, only_other), np.maximum(only_one, only_other)
    return np.minimum(1.0, 2 * special.betainc(more, fewer + 1, 0.5))


def exchange_p(statistic: Statistic, sums: Floats, other_sums: Floats) -> Floats:
    """Return the two-sided p of a permutation test that exchanges two models, group by group.

    If two models do equally well, each group's results could as well be those of the other one
    (Good 2005, "Permutation, Parametric and Bootstrap Tests of Hypotheses", section 3.7). p is the
    share of exchanges whose models are at least as far apart; of up to 13 groups these are all that
    there are, of more at least 9,999 random ones and the observed one. Example: where one model
    leads by 1 in each of 5 groups, 2 of 32 exchanges are as far apart, and p is 0.0625.

    Args:
        statistic: the value of summed parts, read-only arrays of one shape. For a mean it is
            `lambda parts: parts[0] / parts[1]`.
        sums: what each group adds to one model's parts; parts x groups x cells. The cells are one
            family: 40 exchanges for each let Holm's method find the surest of them.
        other_sums: the same of the other model.

    Returns:
        One per cell; nan where one of the models has no value.
    """
    n_parts, n_groups, n_cells = sums.shape
    exchanged = _exchanges(n_groups, max(_EXCHANGES, _EXCHANGES_PER_CELL * n_cells - 1))
    is_all = len(exchanged) == 2**n_groups
    found = np.empty(n_cells)
    step = max(1, _BLOCK // (len(exchanged) * n_parts))
    for start in range(0, n_cells, step):
        of_one, of_other = (each[:, :, start : start + step] for each in (sums, other_sums))
        with np.errstate(all="ignore"):
            one, other = of_one.sum(axis=1), of_other.sum(axis=1)
            observed = np.abs(statistic(one) - statistic(other))
            moved = [_moved(exchanged, apart) for apart in of_other - of_one]
            plus = [total + each for total, each in zip(one, moved, strict=True)]
            minus = [total - each for total, each in zip(other, moved, strict=True)]
            distances = np.abs(
                statistic(np.broadcast_arrays(*plus)) - statistic(np.broadcast_arrays(*minus))
            )
        distances = np.broadcast_to(distances, (len(exchanged), observed.size))
        # an exchange without a value is no evidence of a difference
        n_as_far = np.sum(~(distances < observed * (1 - _ROUNDED) - _ROUNDED), axis=0)
        p = n_as_far / len(exchanged) if is_all else (n_as_far + 1) / (len(exchanged) + 1)
        found[start : start + step] = np.where(np.isnan(observed), np.nan, p)
    return found


def least_exchange_p(n_groups: int) -> float:
    """Return the least p that `exchange_p` can give one pair of models.

    Example: 2 of 32 exchanges of 5 groups, 0.0625.
    """
    if n_groups > _EXACT_GROUPS:
        return 1 / (_EXCHANGES + 1)
    return min(1.0, 2.0 ** (1 - n_groups))


def _moved(exchanged: NDArray[np.float32], apart: Floats) -> Floats:
    """Sum a part's differences over the exchanged groups; exchanges x cells, or 1 x cells of 0."""
    if not apart.any():  # such as the sizes of units that both models have
        return np.zeros((1, apart.shape[1]))
    # single precision takes half the time, and is exact for whole numbers as small as counts
    is_exact = np.all(apart == np.rint(apart)) and np.abs(apart).sum(axis=0).max() < 1 << 24
    return np.asarray(exchanged @ (apart.astype(np.float32) if is_exact else apart), np.float64)


@lru_cache(maxsize=4)
def _exchanges(n_groups: int, n_random: int) -> NDArray[np.float32]:
    """Return which groups are exchanged; exchanges x groups, 1 or 0."""
    if n_groups <= _EXACT_GROUPS:
        exchanges = list(product((0, 1), repeat=n_groups))
        return np.array(exchanges, dtype=np.float32).reshape(-1, n_groups)
    generator = np.random.default_rng(_SEED)
    return generator.integers(0, 2, (n_random, n_groups)).astype(np.float32)


def change_p(
    value: ArrayLike,
    interval: tuple[ArrayLike, ArrayLike],
    n_groups: ArrayLike,
    other_value: ArrayLike,
    other_interval: tuple[ArrayLike, ArrayLike],
    other_n_groups: ArrayLike,
) -> Floats:
    """Return the two-sided p of a change between two independent samples, from their intervals.

    Student's, with Welch's degrees of freedom (Satterthwaite 1946): it is 0.05 where
    `intervals.change_interval` ends at 0. It is never below what so few groups can show: if all of
    one sample are above all of the other, 2 in (n + m choose n). Example: 0.5 (0.4 to 0.6) and 0.7
    (0.6 to 0.8) of 20 groups each give 0.0056.
    """
    one, low, high, n, two, other_low, other_high, m = (
        np.asarray(each, dtype=np.float64)
        for each in (value, *interval, n_groups, other_value, *other_interval, other_n_groups)
    )
    change = two - one
    off = np.where(change > 0, high - one, one - low)
    other_off = np.where(change > 0, two - other_low, other_high - two)
    with np.errstate(all="ignore"):
        errors = [each / special.stdtrit(k - 1, 0.975) for each, k in ((off, n), (other_off, m))]
        degrees = (errors[0] ** 2 + errors[1] ** 2) ** 2 / (
            errors[0] ** 4 / (n - 1) + errors[1] ** 4 / (m - 1)
        )
        steps = np.abs(change) / np.hypot(off, other_off) * special.stdtrit(degrees, 0.975)
        found = 2 * special.stdtr(degrees, -steps)
    least = np.minimum(1, 2 / special.comb(n + m, n))
    return np.where(change == 0, 1.0, np.maximum(found, least))


def holm(p_values: ArrayLike) -> Floats:
    """Correct the p-values of one family by Holm's method; those that are nan stay out of it.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure". Example: 0.01,
    0.04 and 0.03 become 0.03, 0.06 and 0.06.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    corrected = np.full(p.shape, np.nan)
    steps = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * steps))
    return corrected


def detectable_difference(error: ArrayLike, n_groups: ArrayLike, power: float = 0.8) -> Floats:
    """Return the smallest true difference that a test at 5 % finds with this power.

    The standard error times the sum of Student's two quantiles (Bloom 1995, "Minimum detectable
    effects"). Example: an error of 0.05 of 20 groups finds 0.148.
    """
    degrees = np.asarray(n_groups, dtype=np.float64) - 1
    with np.errstate(all="ignore"):
        quantiles = special.stdtrit(degrees, 0.975) + special.stdtrit(degrees, power)
    return np.asarray(error, dtype=np.float64) * quantiles
