"""The bootstrap over groups: how often each group of filings is drawn, as one matrix.

A statistic of a release is a function of sums over its filings. Drawn anew, the sums are one
matrix product: draws (replicates x groups) times what each group adds (groups x cells).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tasks.statistics import Floats

REPLICATES = 1000
_SEED = 10_000  # the same for all models: differences between them are drawn in pairs


@dataclass(frozen=True, slots=True)
class Summed:
    """The units of a metric summed up; arrays of any shape, such as replicates x cells."""

    total: Floats  # sum of numerators
    size: Floats  # sum of denominators

    @property
    def value(self) -> Floats:
        """The metric; nan where nothing is scored."""
        return self.total / self.size


@cache
def draw(n_groups: int, *, n_replicates: int = REPLICATES) -> Floats:
    """Draw as many groups as there are, with replacement, again and again.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6. Example:
    each row of `draw(3)`, replicates x groups, sums to 3, such as [2, 0, 1].
    """
    if n_groups == 0:
        return np.zeros((n_replicates, 0))
    generator = np.random.default_rng(_SEED)
    shares = np.full(n_groups, 1 / n_groups)
    draws = generator.multinomial(n_groups, shares, size=n_replicates).astype(np.float64)
    draws.flags.writeable = False
    return draws


def redrawn(
    own: Floats, size: Floats, donor: Floats, both: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Draw units that lean on one group or on two, such as a filing and the donor of its query.

    Two ways, for `intervals.two_way_error`: units drawn by their own group, and their deviations by
    the donor's; and the same deviations by pairs of groups. Multiplying the weights of both groups
    instead counts the noise of each unit three times (Owen 2007, "The pigeonhole bootstrap").

    Args:
        own, size: totals and sizes of all units by their own group; groups x cells.
        donor: how far units with a donor are from their mean, summed by donor; groups x cells.
        both: the same by pair of groups; pairs x cells.

    Returns:
        Totals and sizes of the first way, then of the second; each is replicates x cells.
    """
    draws, whole = draw(len(own)), size.sum(axis=0)
    sizes = draws @ size
    totals = draws @ own + (draws - 1) @ donor * (sizes / whole)
    of_pairs = np.broadcast_to(own.sum(axis=0), sizes.shape)
    if len(both):
        of_pairs = of_pairs + (draw(len(both)) - 1) @ both
    return (totals, sizes), (of_pairs, np.broadcast_to(whole, sizes.shape))
