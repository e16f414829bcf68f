"""Tests of two models on the same units or in two samples, and what a release could tell apart.

Holm's correction is over the family that the caller gives.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # `scipy.stats` takes half a second to import

from tasks.statistics import Floats

_EXACT_GROUPS = 13  # 2^13 exchanges; more groups are exchanged at random
# Random exchanges: more for many pairs, or Holm's correction could never find a difference.
_EXCHANGES, _EXCHANGES_PER_CELL = 9_999, 40
_SEED = 20_000
# An exchange that is less far apart only by what sums round off is as far.
_ROUNDED = 1e-14
_BLOCK = 1 << 22  # numbers held at once


def mcnemar_p(only_one: ArrayLike, only_other: ArrayLike) -> Floats:
    """Return McNemar's exact two-sided p for scores of 0 and 1 on independent units.

    Source: McNemar 1947; the binomial distribution as an incomplete beta function (Abramowitz and
    Stegun 1964, 26.5.24). Example: 1 against 6 gives 0.125; none against none gives 1.
    """
    fewer, more = np.minimum(only_one, only_other), np.maximum(only_one, only_other)
    return np.minimum(1.0, 2 * special.betainc(more, fewer + 1, 0.5))


def exchange_p(apart: Floats) -> Floats:
    """Return the two-sided p of a permutation test that exchanges two models, group by group.

    p is the share of exchanges whose models are at least as far apart: of all exchanges of up to 13
    groups, else of random ones (Good 2005, "Permutation, Parametric and Bootstrap Tests of
    Hypotheses", section 3.7). It is for means of the same units: what else two models differ in,
    such as their profile, would move other statistics. Example: where one model leads by 1 in each
    of 5 groups, 2 of 32 exchanges are as far apart, and p is 0.0625.

    Args:
        apart: one model's total less the other's; groups x cells, which are one family.
    """
    n_groups, n_cells = apart.shape
    exchanged = _exchanges(n_groups, max(_EXCHANGES, _EXCHANGES_PER_CELL * n_cells - 1))
    p_values = np.empty(n_cells)
    step = max(1, _BLOCK // len(exchanged))
    for start in range(0, n_cells, step):
        block = apart[:, start : start + step]
        total, whole = block.sum(axis=0), np.abs(block).sum(axis=0)
        distances = np.abs(total - 2 * (exchanged @ block))
        n_as_far = np.sum(distances >= np.abs(total) - _ROUNDED * whole, axis=0)
        is_all = len(exchanged) == 2**n_groups
        p_values[start : start + step] = (
            n_as_far / len(exchanged) if is_all else (n_as_far + 1) / (len(exchanged) + 1)
        )
    return p_values


def student_p(
    difference: ArrayLike, interval: tuple[ArrayLike, ArrayLike], n_groups: ArrayLike
) -> Floats:
    """Return the two-sided p of a difference over groups, from its interval.

    Student's t: it is 0.05 where the interval ends at 0. Like `change_p`, it is never below what so
    few groups can show. Example: 0.2 (-0.0093 to 0.4093) of 20 groups gives 0.060.
    """
    difference, low, high = (np.asarray(column, np.float64) for column in (difference, *interval))
    degrees = np.asarray(n_groups) - 1
    with np.errstate(all="ignore"):
        off = np.where(difference > 0, difference - low, high - difference)
        steps = np.abs(difference) / off * special.stdtrit(degrees, 0.975)
        p = 2 * special.stdtr(degrees, -steps)
    least = np.vectorize(least_exchange_p, otypes=[np.float64])(n_groups)
    p = np.where(difference == 0, 1.0, np.fmax(p, least))
    return np.where(np.isnan(difference), np.nan, p)


def least_exchange_p(n_groups: int) -> float:
    """Return the least p of one pair of models. Example: 2 of 32 exchanges of 5 groups, 0.0625."""
    if n_groups > _EXACT_GROUPS:
        return 1 / (_EXCHANGES + 1)
    return min(1.0, 2.0 ** (1 - n_groups))


@lru_cache(maxsize=4)
def _exchanges(n_groups: int, n_random: int) -> Floats:
    """Return which groups are exchanged; exchanges x groups, 1 or 0."""
    if n_groups <= _EXACT_GROUPS:
        exchanges = list(product((0, 1), repeat=n_groups))
        return np.array(exchanges, dtype=np.float64).reshape(-1, n_groups)
    generator = np.random.default_rng(_SEED)
    return generator.integers(0, 2, (n_random, n_groups)).astype(np.float64)


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
    `intervals.change_interval` ends at 0, and at least 2 in (n + m choose n), as in a permutation
    test. Example: 0.5 (0.4 to 0.6) and 0.7 (0.6 to 0.8) of 20 groups each give 0.0056.
    """
    one, low, high, n, two, other_low, other_high, m = (
        np.asarray(ends, dtype=np.float64)
        for ends in (value, *interval, n_groups, other_value, *other_interval, other_n_groups)
    )
    change = two - one
    off = np.where(change > 0, high - one, one - low)
    other_off = np.where(change > 0, two - other_low, other_high - two)
    with np.errstate(all="ignore"):
        errors = [ends / special.stdtrit(k - 1, 0.975) for ends, k in ((off, n), (other_off, m))]
        degrees = (errors[0] ** 2 + errors[1] ** 2) ** 2 / (
            errors[0] ** 4 / (n - 1) + errors[1] ** 4 / (m - 1)
        )
        steps = np.abs(change) / np.hypot(off, other_off) * special.stdtrit(degrees, 0.975)
        p_values = 2 * special.stdtr(degrees, -steps)
    least = np.minimum(1, 2 / special.comb(n + m, n))
    return np.where(change == 0, 1.0, np.maximum(p_values, least))


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
