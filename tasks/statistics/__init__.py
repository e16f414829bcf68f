"""Inference on sums that SQL has counted: intervals, paired tests, agreement, ratings.

Arrays in, arrays out: nothing here reads a lake. Quantiles and tails are SciPy's.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Fewer groups of filings have no interval: of 2 or 3 groups whose units are alike, as few as 65 %
# of intervals held the truth in simulations.
FEWEST_GROUPS = 4
