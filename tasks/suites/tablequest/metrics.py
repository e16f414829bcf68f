"""TableQuest's metrics that are made of others, and its ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tasks.statistics.resampling import Summed
from tasks.suites.suite import Derived, Rating

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def accuracy(parts: Mapping[str, Summed]) -> NDArray[np.float64]:
    """Return the mean of both levels' accuracies (paper 001, Table 3)."""
    return (parts["easy_accuracy"].value + parts["medium_accuracy"].value) / 2


METRICS: dict[str, Derived | Rating] = {
    "accuracy": Derived(of=("easy_accuracy", "medium_accuracy"), value=accuracy, grows=True),
    "elo": Rating(points="points", anchor="baseline", method="elo"),
    "bradley_terry": Rating(points="points", anchor="baseline", method="bradley_terry"),
}
