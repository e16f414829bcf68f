"""The bootstrap over groups: how often each group of filings is drawn, as one matrix.

A statistic of a release is a function of sums over its filings. Drawn anew, the sums are one
matrix product: draws (replicates x groups) times what each group adds (groups x cells).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REPLICATES = 1000
_SEED = 10_000  # the same for all models: differences between them are drawn in pairs


def draw(n_groups: int, *, n_replicates: int = REPLICATES) -> Floats:
    """Draw as many groups as there are, with replacement, again and again.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 6. Example:
    each row of `draw(3)`, such as [2, 0, 1], sums to 3.

    Returns:
        How often each group is drawn; replicates x groups.
    """
    generator = np.random.default_rng(_SEED)
    drawn = generator.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n_replicates)
    return drawn.astype(np.float64)


def draw_pairs(rows: NDArray[np.int64], n_groups: int) -> tuple[Floats, Floats, Floats]:
    """Draw rows that lean on one group or on two, such as a filing and the donor of its context.

    Three ways, for `intervals.two_way_error`. Multiplying the weights of both groups instead counts
    the noise of each unit three times (Owen 2007, "The pigeonhole bootstrap"): of 95 % intervals of
    20 filings, each a donor twice, 98 to 100 % held the truth in simulations. Those made of these
    three held it in 92 to 97 %, and those that ignore donors in 70 to 97 %.

    Args:
        rows: the two groups of each row; the second is -1 if there is none.
        n_groups: groups, numbered from 0.

    Returns:
        How often each row counts if its own group is drawn; if either group is (a row of two counts
        both, less one); and if pairs of groups are drawn, where rows of one group count once. Each
        is replicates x rows.
    """
    draws, (own, donor) = draw(n_groups), rows.T
    of_own = draws[:, own]
    of_either = np.where(donor < 0, of_own, of_own + draws[:, donor] - 1)
    of_pairs = np.ones_like(of_own)
    pairs, place = np.unique(rows[donor >= 0], axis=0, return_inverse=True)
    if len(pairs):
        of_pairs[:, donor >= 0] = draw(len(pairs))[:, place.ravel()]
    return of_own, of_either, of_pairs
