"""TableQuest's derived metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tasks.suites.suite import Derived, Summed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANCHOR = 1000.0


def accuracy(parts: Mapping[str, Summed]) -> NDArray[np.float64]:
    """Return the mean of both levels' accuracies (paper 001, Table 3)."""
    return (parts["easy_accuracy"].value + parts["medium_accuracy"].value) / 2


def elo(parts: Mapping[str, Summed], baseline: str) -> NDArray[np.float64]:
    """Return Elo ratings from games against the baseline, which has 1000 (Elo 1978).

    SQL has chosen the games by `baseline`. The share of points is clipped to half a point from
    none and all.
    """
    import numpy as np

    games = parts["baseline_points"]
    half = 0.5 / games.size
    share = np.clip(games.value, half, 1 - half)
    return ANCHOR + 400 * np.log10(share / (1 - share))


METRICS: dict[str, Derived] = {
    "accuracy": Derived(of=("easy_accuracy", "medium_accuracy"), value=accuracy, grows=True),
    "elo": Derived(
        of=("baseline_points",), value=elo, options=("baseline",), is_share=False, grows=True
    ),
}
