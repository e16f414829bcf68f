"""How often 95 % intervals hold the truth and tests find what is not there, in simulations.

`python tests/bench/coverage.py`

Filings are drawn from populations with known metrics, and put through `failsafeqa.metrics`,
`reports.comparisons` and `reports.release_changes`. Prints each experiment's lowest and highest
share over its populations and metrics. Exit status 1 if a share is out of its bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import numpy as np
from rich.console import Console

from tests.simulated import KINDS, Kinds, open_simulated, population

RARELY_ROBUST: Kinds = {"easy": (0.75, 0.99), "hard": (0.45, 0.9)}
NEARLY_ALWAYS: Kinds = {"easy": (0.9999, 0.1), "hard": (0.996, 0.02)}
BETTER: Kinds = {"easy": (0.98, 0.95), "hard": (0.85, 0.6)}
MEASURED = {
    "robustness 0.06": {"easy": (0.65, 0.99), "hard": (0.3, 0.9)},
    "robustness 0.13": RARELY_ROBUST,
    "robustness 0.51": KINDS,
    "robustness 0.91": {"easy": (0.999, 0.9), "hard": (0.96, 0.5)},
    "robustness 0.99": NEARLY_ALWAYS,
}
# two models of one release
COMPARED = {
    "alike": (KINDS, KINDS),
    "unlike": (BETTER, KINDS),
    "alike near an end": (RARELY_ROBUST, RARELY_ROBUST),
    "far apart": (RARELY_ROBUST, BETTER),
}
# one model in two releases
CHANGED = {
    "alike": (KINDS, KINDS),
    "better": (KINDS, BETTER),
    "alike near 0": (RARELY_ROBUST, RARELY_ROBUST),
    "alike near 1": (NEARLY_ALWAYS, NEARLY_ALWAYS),
    "far apart": (RARELY_ROBUST, NEARLY_ALWAYS),
}
N_MEASURED, N_COMPARED, N_CHANGED = 1_000, 600, 300


@dataclass(frozen=True)
class Share:
    """In what share of the simulated releases something was so."""

    experiment: str
    of: str
    found: float
    at_least: float
    at_most: float

    @property
    def is_in_bounds(self) -> bool:
        return self.at_least <= self.found <= self.at_most


def main() -> int:
    """Simulate and print; returns the exit status."""
    console = Console()
    out = []
    for experiment, shares in groupby(experiments(), key=attrgetter("experiment")):
        of_it = list(shares)
        found = [share.found for share in of_it]
        bounds = f"{of_it[0].at_least:.3f} to {of_it[0].at_most:.3f}"
        console.print(
            f"{experiment:75} {min(found):.3f} to {max(found):.3f} "
            f"in {len(found):2} cells (bounds {bounds})"
        )
        out += [share for share in of_it if not share.is_in_bounds]
    for share in out:
        console.print(f"[bold]misses[/bold] {share.experiment}, {share.of}: {share.found:.3f}")
    return 1 if out else 0


def experiments() -> Iterator[Share]:
    """Every experiment's shares, experiment by experiment."""
    # where few filings are not wholly right, an interval cannot be hit as finely as 95 %
    for n_filings, at_most in ((4, 1.0), (8, 0.995), (20, 0.985), (60, 0.975)):
        yield from measured(n_filings, at_most)
    for n_filings, at_most in ((4, 1.0), (8, 1.0), (40, 0.98)):
        yield from compared(n_filings, at_most)
    for n_filings, other_n_filings in ((4, 20), (25, 25)):
        yield from changed(n_filings, other_n_filings)


def measured(n_filings: int, at_most: float) -> Iterator[Share]:
    """Intervals of a metric hold the population's value."""
    given = {name: (kinds,) for name, kinds in MEASURED.items()}
    with open_simulated(given, N_MEASURED, n_filings, seed=n_filings) as warehouse:
        rows = warehouse.execute(
            "select release, metric, ci_low, ci_high from failsafeqa.metrics"
        ).fetchall()
    for name, kinds in MEASURED.items():
        for metric, truth in population(kinds).items():
            found = _of(rows, name, metric, at_least=N_MEASURED)
            held = float(np.mean([low <= truth <= high for low, high in found]))
            yield Share(
                f"metrics, {n_filings} filings: intervals hold the value",
                f"{name}, {metric}", held, 0.93, at_most,
            )  # fmt: skip


def compared(n_filings: int, at_most: float) -> Iterator[Share]:
    """Intervals of two models' difference hold it; tests of equal models seldom say they differ."""
    with open_simulated(COMPARED, N_COMPARED, n_filings, seed=4) as warehouse:
        rows = warehouse.execute(
            """select release, metric, ci_low, ci_high, greatest(p_mcnemar, p_clustered)
            from reports.comparisons
            where ci_low is not null"""
        ).fetchall()
    differences = _differences(COMPARED)
    found = {cell: _of(rows, *cell, at_least=int(0.9 * N_COMPARED)) for cell in differences}
    about = f"models, {n_filings} filings: "
    # 600 experiments: a share of 0.95 is known to within 0.02
    yield from _held(f"{about}intervals hold the difference", differences, found, 0.92, at_most)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", differences, found, 0.07)


def changed(n_filings: int, other_n_filings: int) -> Iterator[Share]:
    """Intervals of a change hold it; noise seldom passes for a change; changes are often found."""
    populations = {
        f"{name}, {side}": (kinds,)
        for name, pair in CHANGED.items()
        for side, kinds in enumerate(pair)
    }
    with open_simulated(populations, N_CHANGED, other_n_filings, seed=n_filings) as warehouse:
        for relation in ("failsafeqa.sums", "staging.pairs"):
            warehouse.execute(
                f"delete from {relation} where release like '%, 0' and group_number >= {n_filings}"
            )
        rows = warehouse.execute(
            """select release[:-4], metric, change_low, change_high, p from reports.release_changes
            where release like '%, 0' and other_release = release[:-2] || '1'"""
        ).fetchall()
    # of the later release to the earlier; compliance has no change as a whole
    changes = {
        cell: -value for cell, value in _differences(CHANGED).items() if cell[1] != "compliance"
    }
    found = {cell: _of(rows, *cell, at_least=N_CHANGED) for cell in changes}
    about = f"releases, {n_filings} and {other_n_filings} filings: "
    # 300 experiments: a share of 0.95 is known to within 0.025
    yield from _held(f"{about}intervals hold the change", changes, found, 0.925, 1.0)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", changes, found, 0.075)
    if n_filings >= 25:
        for name, at_least in (("better", 0.3), ("far apart", 1.0)):
            power = float(np.mean([p <= 0.05 for *_, p in found[name, "robustness"]]))
            yield Share(f"{about}{name}, and p <= 0.05", "robustness", power, at_least, 1.0)


Cell = tuple[str, str]


def _differences(pairs: Mapping[str, tuple[Kinds, Kinds]]) -> dict[Cell, float]:
    """(name, metric) -> the value of the first population less that of the second."""
    return {
        (name, metric): value - population(other)[metric]
        for name, (one, other) in pairs.items()
        for metric, value in population(one).items()
    }


def _of(
    rows: list[tuple[Any, ...]], name: str, metric: str, *, at_least: int
) -> list[tuple[Any, ...]]:
    found = [row[2:] for row in rows if row[:2] == (name, metric)]
    if len(found) < at_least:
        raise ValueError(f"{name}, {metric}: {len(found)} intervals where {at_least} were expected")
    return found


def _held(
    experiment: str,
    truths: Mapping[Cell, float],
    found: Mapping[Cell, Any],
    at_least: float,
    at_most: float,
) -> Iterator[Share]:
    for cell, truth in truths.items():
        held = float(np.mean([low <= truth <= high for low, high, _ in found[cell]]))
        yield Share(experiment, ", ".join(cell), held, at_least, at_most)


def _false_alarms(
    experiment: str, truths: Mapping[Cell, float], found: Mapping[Cell, Any], at_most: float
) -> Iterator[Share]:
    for cell, truth in truths.items():
        if truth == 0:
            alarms = float(np.mean([p <= 0.05 for *_, p in found[cell]]))
            yield Share(experiment, ", ".join(cell), alarms, 0.0, at_most)


if __name__ == "__main__":
    sys.exit(main())
