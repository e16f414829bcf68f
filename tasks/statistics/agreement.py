"""How far two raters agree, from the table of their labels.

A table counts, or weighs, the units that one rater gave label i and the other label j. Every
function takes one table, or many at once: the last two axes are the labels', in one order.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tasks.statistics import Bools, Floats

# A variance below this share of the squares is what sums of fractions round off.
_ROUNDED = 1e-9


def agreement(tables: ArrayLike) -> Floats:
    """Return the share of units with one label by both. Example: [[3, 1], [0, 1]] gives 0.8."""
    table = np.asarray(tables, dtype=np.float64)
    with np.errstate(all="ignore"):
        return np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))


def kappa(tables: ArrayLike, weights: Literal["none", "quadratic"] = "none") -> Floats:
    """Return Cohen's kappa: 1 less disagreement over that of labels dealt at random.

    Source: Cohen 1960; 1968 for weights, here the squared distance of two labels. nan where both
    raters give one and the same label throughout. Example: [[20, 5], [10, 15]] gives 0.4.
    """
    table = np.asarray(tables, dtype=np.float64)
    place = np.arange(table.shape[-1])
    distance = np.subtract.outer(place, place).astype(np.float64)
    cost = (distance != 0).astype(np.float64) if weights == "none" else distance**2
    total = table.sum(axis=(-2, -1))
    by_chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    with np.errstate(all="ignore"):
        expected = np.sum(cost * by_chance, axis=(-2, -1)) / total
        agreement = 1 - np.sum(cost * table, axis=(-2, -1)) / expected
    return np.where(expected > 0, agreement, np.nan)


def pearson(tables: ArrayLike, labels: ArrayLike) -> Floats:
    """Return Pearson's correlation of two raters' numeric labels.

    nan where a rater's labels never vary. Example: [[2, 0], [0, 3]] with labels 1 and 6 gives 1.
    """
    table = np.asarray(tables, dtype=np.float64)
    values = np.asarray(labels, dtype=np.float64)
    return _correlation(table, values, values)


def spearman(tables: ArrayLike) -> Floats:
    """Return Spearman's correlation of two raters' ordered labels: Pearson's of the middle ranks.

    Example: [[0, 2], [2, 0]] gives -1.
    """
    table = np.asarray(tables, dtype=np.float64)
    by_one, by_other = table.sum(axis=-1), table.sum(axis=-2)
    return _correlation(
        table, np.cumsum(by_one, axis=-1) - by_one / 2, np.cumsum(by_other, axis=-1) - by_other / 2
    )


def _correlation(table: Floats, one: Floats, other: Floats) -> Floats:
    """Correlate values of a table's rows and columns; they may differ by table."""
    one_off, one_varies = _deviations(table.sum(axis=-1), one)
    other_off, other_varies = _deviations(table.sum(axis=-2), other)
    with np.errstate(all="ignore"):
        shared = np.einsum("...ij,...i,...j->...", table, one_off, other_off)
    return np.where(one_varies & other_varies, np.clip(shared, -1, 1), np.nan)


def _deviations(counts: Floats, values: Floats) -> tuple[Floats, Bools]:
    """Return a rater's deviations from the mean, of unit length, and if any vary."""
    with np.errstate(all="ignore"):
        off = values - (np.sum(counts * values, axis=-1) / counts.sum(axis=-1))[..., None]
        variance = np.sum(counts * off**2, axis=-1)
        varies = variance > _ROUNDED * np.sum(counts * values**2, axis=-1)
        return off / np.sqrt(variance)[..., None], varies


def kendall(tables: ArrayLike) -> Floats:
    """Return Kendall's tau-b of two raters' ordered labels.

    Pairs of units in one order by both, less those in opposite order, over the root of the pairs
    that each rater orders at all (Kendall 1945). Example: [[0, 2], [2, 0]] gives -1.
    """
    table = np.asarray(tables, dtype=np.float64)
    place = np.arange(table.shape[-1])
    order = np.sign(np.subtract.outer(place, place)).astype(np.float64)
    with np.errstate(all="ignore"):
        # each pair of units is counted from both of its sides
        ordered = np.sum(table * (order @ table @ order.T), axis=(-2, -1)) / 2
        total = table.sum(axis=(-2, -1))
        pairs = [(total**2 - np.sum(table.sum(axis=axis) ** 2, axis=-1)) / 2 for axis in (-1, -2)]
        tau = np.clip(ordered / np.sqrt(pairs[0] * pairs[1]), -1, 1)
    varies = (pairs[0] > _ROUNDED * total**2) & (pairs[1] > _ROUNDED * total**2)
    return np.where(varies, tau, np.nan)
