"""95 % intervals from a statistic's replicates, for few groups as well as for many.

Arrays of one shape in, arrays of that shape out; nan where nothing can be said.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # `scipy.stats` takes half a second to import

from tasks.statistics import FEWEST_GROUPS, Floats

_FEW_GROUPS = 6
_HALF = 0.975


def standard_error(replicates: Floats, n_groups: ArrayLike) -> Floats:
    """Return the standard error of a statistic, from its replicates.

    Groups drawn from the n at hand vary by (n - 1) / n too little, which is put back (Hesterberg
    2015, "What teachers should know about the bootstrap"). `replicates` are replicates x cells;
    nan ones are left out. Example: replicates 0 and 2 of 2 groups give 1.414.
    """
    n = np.asarray(n_groups, dtype=np.float64)
    with np.errstate(all="ignore"):
        counted = np.sum(~np.isnan(replicates), axis=0)
        centred = replicates - np.nansum(replicates, axis=0) / counted
        deviation = np.sqrt(np.nansum(centred**2, axis=0) / counted)
        return np.where(n >= 2, np.round(deviation * np.sqrt(n / (n - 1)), 12), np.nan)


def two_way_error(of_own: ArrayLike, of_either: ArrayLike, of_pairs: ArrayLike) -> Floats:
    """Return the standard error of a statistic whose units lean on two groups each.

    Squares add up as sets do: either group, less what both share (Cameron, Gelbach and Miller 2011,
    "Robust inference with multiway clustering"; Aronow, Samii and Assenova 2015). The last two come
    from `resampling.redrawn`. Example: 0.08, 0.11 and 0.07 give 0.0849.
    """
    either, pairs = np.asarray(of_either), np.asarray(of_pairs)
    return np.maximum(of_own, np.sqrt(np.maximum(either**2 - pairs**2, 0)))


def share_error(error: ArrayLike, share: ArrayLike, n: ArrayLike, n_groups: ArrayLike) -> Floats:
    """Return the standard error of a share of n units, at least that of n independent draws.

    A few groups are alike by chance now and then. Six groups and more are left as they are, and so
    is 0, for which `share_interval` has a wider bound. Example: an error of 0.01 of 20 units in 4
    groups, of which half hold, becomes 0.112.
    """
    error, share, n, n_groups = np.broadcast_arrays(error, share, n, n_groups)
    with np.errstate(all="ignore"):
        least = np.sqrt(share * (1 - share) / n)
    is_few = (n_groups < _FEW_GROUPS) & (error > 0)
    errors = np.where(is_few, np.maximum(error, least), error)
    return np.where(n_groups >= FEWEST_GROUPS, errors, np.nan)


def share_interval(
    share: ArrayLike, error: ArrayLike, n_groups: ArrayLike
) -> tuple[Floats, Floats]:
    """Return both ends of the interval of a value between 0 and 1.

    Student's interval of the log odds: "logit" of `svyciprop` in R's survey package. An error of 0
    says that these n groups agree, not that all others do: at most 1 - 0.025^(1/n) of those are
    unlike them (Clopper and Pearson). Example: 0.5, error 0.1, 20 groups: 0.302 to 0.698.
    """
    share, error, n = (np.asarray(column, dtype=np.float64) for column in (share, error, n_groups))
    return _share_low(share, error, n), 1 - _share_low(1 - share, error, n)


def _share_low(share: Floats, error: Floats, n_groups: Floats) -> Floats:
    with np.errstate(all="ignore"):
        steps = special.stdtrit(n_groups - 1, _HALF) * error / (share * (1 - share))
        low = share / (share + (1 - share) * np.exp(steps))
        return np.where(error == 0, share * (1 - _HALF) ** (1 / n_groups), low)


def difference_interval(
    difference: ArrayLike, error: ArrayLike, n_groups: ArrayLike
) -> tuple[Floats, Floats]:
    """Return both ends of the interval of a difference of two values between 0 and 1.

    That of a share, stretched to -1 and 1. Example: 0.2, error 0.1, 20 groups: -0.015 to 0.398.
    """
    low, high = share_interval(
        (1 + np.asarray(difference)) / 2, np.asarray(error) / 2, np.asarray(n_groups)
    )
    return 2 * low - 1, 2 * high - 1


def error_of_interval(low: ArrayLike, high: ArrayLike, n_groups: ArrayLike) -> Floats:
    """Return the standard error that would give a Student's interval of this length.

    Example: 979.07 to 1020.93 of 20 groups is that of an error of 10.
    """
    degrees = np.asarray(n_groups, dtype=np.float64) - 1
    return (np.asarray(high) - np.asarray(low)) / (2 * special.stdtrit(degrees, _HALF))


def change_interval(
    value: ArrayLike,
    interval: tuple[ArrayLike, ArrayLike],
    other_value: ArrayLike,
    other_interval: tuple[ArrayLike, ArrayLike],
) -> tuple[Floats, Floats]:
    """Return both ends of the interval of other_value - value, of two independent samples.

    How far each may be off on the side that matters adds up in squares (Newcombe 1998; Zou and
    Donner 2008). Example: 0.5 (0.4 to 0.6) and 0.7 (0.6 to 0.8) change by 0.059 to 0.341.
    """
    one, low, high, two, other_low, other_high = (
        np.asarray(column, dtype=np.float64)
        for column in (value, *interval, other_value, *other_interval)
    )
    change = two - one
    return (
        change - np.sqrt((two - other_low) ** 2 + (high - one) ** 2),
        change + np.sqrt((other_high - two) ** 2 + (one - low) ** 2),
    )


def student_interval(
    value: ArrayLike, error: ArrayLike, n_groups: ArrayLike
) -> tuple[Floats, Floats]:
    """Return both ends of the interval of a value without bounds, such as an Elo rating.

    value ± t · error, at n_groups - 1 degrees of freedom; nan without an error. Example: 1000,
    error 10, 20 groups: 979.07 to 1020.93.
    """
    value, error = np.asarray(value, dtype=np.float64), np.asarray(error, dtype=np.float64)
    with np.errstate(all="ignore"):
        reach = special.stdtrit(np.asarray(n_groups, dtype=np.float64) - 1, _HALF) * error
    reach = np.where(error > 0, reach, np.nan)
    return value - reach, value + reach


def bounded_interval(
    value: Floats, replicates: Floats, n_groups: ArrayLike, bound: float = 1.0
) -> tuple[Floats, Floats]:
    """Return both ends of the interval of a statistic between -bound and bound: a correlation, say.

    Percentiles of the replicates (replicates x cells), widened by sqrt(n / (n - 1)) and Student's
    over the normal quantile (Hesterberg 2015). nan where no replicate differs.
    """
    n = np.asarray(n_groups, dtype=np.float64)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # where all replicates are nan
        ends = np.nanquantile(replicates, [1 - _HALF, _HALF], axis=0)
        wider = special.stdtrit(n - 1, _HALF) / special.ndtri(_HALF) * np.sqrt(n / (n - 1))
        low, high = np.clip(value + (ends - value) * wider, -bound, bound)
        differs = np.max(np.abs(ends - value), axis=0) > 1e-9
    known = (n >= FEWEST_GROUPS) & differs
    return (
        np.where(known, np.minimum(low, value), np.nan),
        np.where(known, np.maximum(high, value), np.nan),
    )
