"""Metrics made of others: what the length of the context costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tasks.statistics.resampling import Summed
from tasks.suites.suite import Derived


def context_loss(summed: Mapping[str, Summed]) -> NDArray[np.float64]:
    """Return F1 on single articles less F1 in haystacks: 0.9 and 0.6 give 0.3.

    It tells a failure at length from a concept that the model does not know (paper 002, table 2).
    """
    return summed["single_f1"].value - summed["f1"].value


METRICS = {"context_loss": Derived(of=("single_f1", "f1"), value=context_loss, is_share=False)}
