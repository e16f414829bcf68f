"""The bootstrap over groups: how often each group of filings is drawn, as one matrix.

A statistic of a release is a function of sums over its filings. Drawn anew, the sums are one
matrix product: draws (replicates x groups) times what each group adds (groups x cells).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REPLICATES = 1000
_SEED = 10_000  # the same for all models: differences between them are drawn in pairs


@cache
def draw(n_groups: int, *, n_replicates: int = REPLICATES) -> Floats:
    """Draw as many groups as there are, with replacement, again and again.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6. Example:
    each row of `draw(3)`, such as [2, 0, 1], sums to 3.

    Returns:
        How often each group is drawn; replicates x groups.
    """
    if n_groups == 0:
        return np.zeros((n_replicates, 0))
    generator = np.random.default_rng(_SEED)
    drawn = generator.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n_replicates)
    found = drawn.astype(np.float64)
    found.flags.writeable = False
    return found


def redrawn(own: Floats, donor: Floats, both: Floats) -> tuple[Floats, Floats, Floats]:
    """Sum units that lean on one group or on two, such as a filing and the donor of its context.

    Three ways, for `intervals.two_way_error`: units drawn by their own group; by either group,
    where a unit of two counts both draws less one; and by pairs of groups, where units of one group
    count once. Multiplying the weights of both groups instead counts the noise of each unit three
    times (Owen 2007, "The pigeonhole bootstrap"): of 95 % intervals of 20 filings, each a donor
    twice, 98 to 100 % held the truth in simulations. Those made of these three held it in 92 to
    97 %, and those that ignore donors in 70 to 97 %. Example: without donors the second is the
    first.

    Args:
        own: sums of all units by their own group; groups x cells.
        donor: sums of the units with a donor, by that; groups x cells.
        both: the same by pair of groups; pairs x cells.

    Returns:
        Sums; each is replicates x cells.
    """
    draws = draw(len(own))
    of_own = draws @ own
    of_donors = donor.sum(axis=0)
    of_either = of_own + draws @ donor - of_donors
    of_pairs = np.broadcast_to(own.sum(axis=0) - of_donors, of_own.shape)
    if len(both):
        of_pairs = of_pairs + draw(len(both)) @ both
    return of_own, of_either, of_pairs
