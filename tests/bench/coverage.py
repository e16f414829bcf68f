"""How often 95 % intervals hold the truth and tests find what is not there, in simulations.

`python tests/bench/coverage.py`

Filings are drawn from populations with known metrics. Their units are scored, compared and held
against another release's as those of a lake are: metrics of FailSafeQA, an F1, a share whose units
have donors, and an F1 whose units lean on a query and a haystack. Prints each experiment's lowest
and highest share over its populations and metrics. Exit status 1 if a share is out of its bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import numpy as np
from rich.console import Console

from tasks.core.rows import Metric
from tasks.scoring.comparisons import compared as compared_models
from tasks.statistics.intervals import change_interval
from tasks.statistics.paired import change_p
from tasks.suites.failsafeqa.metrics import LLM_COMPLIANCE
from tasks.suites.suite import Summed
from tests.simulated import (
    KINDS,
    OPPOSITE,
    OPPOSITE_FIGURES,
    Finding,
    Kinds,
    Leaning,
    Units,
    answered,
    f1_of,
    figures_found,
    measured,
    needles_found,
    paired,
    population,
    with_donors,
)

RARELY_ROBUST: Kinds = {"easy": (0.75, 0.99), "hard": (0.45, 0.9)}
NEARLY_ALWAYS: Kinds = {"easy": (0.9999, 0.1), "hard": (0.996, 0.02)}
BETTER: Kinds = {"easy": (0.98, 0.95), "hard": (0.85, 0.6)}
HARDLY_ROBUST: Kinds = {"easy": (0.65, 0.99), "hard": (0.3, 0.9)}
MEASURED = {
    "robustness 0.06": HARDLY_ROBUST,
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
    "one often 0 in a sample": (BETTER, HARDLY_ROBUST),
}
# one model in two releases
CHANGED = {
    "alike": (KINDS, KINDS),
    "better": (KINDS, BETTER),
    "alike near 0": (RARELY_ROBUST, RARELY_ROBUST),
    "alike near 1": (NEARLY_ALWAYS, NEARLY_ALWAYS),
    "far apart": (RARELY_ROBUST, NEARLY_ALWAYS),
}
# the share of figures that are found, and of wrong ones
FIGURES: dict[str, Kinds] = {
    "F1 0.32": {"easy": (0.4, 0.3), "hard": (0.2, 0.9)},
    "F1 0.72": {"easy": (0.9, 0.1), "hard": (0.5, 0.4)},
    "F1 0.93": {"easy": (0.99, 0.01), "hard": (0.9, 0.1)},
}
LEANINGS = {
    "alone": Leaning(0, 0),
    "on both": Leaning(1, 1, 0.5),
    "hard on both": Leaning(2, 2),
    "on donors": Leaning(0.5, 2, 0.5),
}
FINDINGS = {
    "alone": Finding(0, 0, 1.5),
    "by query and haystack": Finding(1, 0.5, 1.5),
    "hard on both": Finding(2, 1, 0.5),
    "nearly all": Finding(0.5, 1, 3),
}
# a share of 0.05 is known to within 0.014 from 1,000 experiments
N_MEASURED, N_COMPARED, N_CHANGED = 1_000, 1_000, 300


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
        yield from of_metrics(n_filings, at_most)
    # a ratio of 4 filings has no bound from its units, as a share has
    for n_filings, at_least in ((4, 0.9), (8, 0.92), (20, 0.92), (60, 0.93)):
        yield from of_f1(n_filings, at_least)
    yield from of_donors(20)
    # of 20 haystacks that four tasks share, a model that finds nearly all has the fewest held
    for n_records, n_queries, at_least, at_most in (
        (100, 20, 0.93, 0.98), (20, 20, 0.9, 0.985), (20, 5, 0.9, 0.99)
    ):  # fmt: skip
        yield from of_haystacks(n_records, n_queries, at_least, at_most)
    for n_filings, at_most in ((4, 1.0), (8, 1.0), (40, 0.98)):
        yield from of_models(n_filings, at_most)
    # of few filings, an interval of one that is 0 in a sample is wide
    for n_filings, at_least in ((8, 0.0), (20, 0.03), (50, 0.03)):
        yield from of_opposites(n_filings, at_least)
    for n_filings, other_n_filings in ((4, 20), (25, 25)):
        yield from of_releases(n_filings, other_n_filings)


def of_metrics(n_filings: int, at_most: float) -> Iterator[Share]:
    """Intervals of a metric hold the population's value."""
    chosen = np.random.default_rng(n_filings)
    for name, kinds in MEASURED.items():
        rows = measured(answered(N_MEASURED, n_filings, chosen, (kinds,)), n_filings)
        yield from _values_held(
            f"metrics, {n_filings} filings: intervals hold the value",
            name, rows, population(kinds), 0.93, at_most,
        )  # fmt: skip


def of_f1(n_filings: int, at_least: float) -> Iterator[Share]:
    """Intervals of a ratio, and of the difference of two, hold the population's."""
    chosen = np.random.default_rng(n_filings)
    for name, kinds in FIGURES.items():
        rows = measured(figures_found(N_MEASURED, n_filings, chosen, (kinds,)), n_filings)
        yield from _values_held(
            f"F1, {n_filings} filings: intervals hold the value",
            name, rows, {"f1": f1_of(kinds)}, at_least, 0.98,
        )  # fmt: skip
    pairs = {f"{one} and {other}": (one, other) for one, other in combinations(FIGURES, 2)}
    pairs |= {f"{name} twice": (name, name) for name in FIGURES}
    truths, found = {}, {}
    for name, (one, other) in pairs.items():
        models = FIGURES[one], FIGURES[other]
        units = figures_found(N_COMPARED, n_filings, chosen, models)
        truths[name, "f1"] = f1_of(models[0]) - f1_of(models[1])
        found[name, "f1"] = _compared("f1", units, n_filings)
    yield from _held(
        f"F1, {n_filings} filings: intervals hold the difference", truths, found, at_least, 0.99
    )
    yield from _false_alarms(f"F1, {n_filings} filings: alike, and p <= 0.05", truths, found, 0.07)


def of_donors(n_filings: int) -> Iterator[Share]:
    """Intervals of a share whose units lean on two filings each; every filing is a donor twice."""
    chosen = np.random.default_rng(n_filings)
    for name, leaning in LEANINGS.items():
        rows = measured(with_donors(N_MEASURED, n_filings, chosen, (leaning,)), n_filings)
        yield from _values_held(
            f"donors, {n_filings} filings: intervals hold the value",
            name, rows, {"share": leaning.share}, 0.93, 0.985,
        )  # fmt: skip
    truths, found = {}, {}
    for name, leaning in LEANINGS.items():
        units = with_donors(N_COMPARED, n_filings, chosen, (leaning, leaning))
        truths[name, "share"] = 0.0
        found[name, "share"] = _compared("share", units, n_filings)
    about = f"donors, {n_filings} filings: "
    yield from _held(f"{about}intervals hold the difference", truths, found, 0.92, 0.99)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", truths, found, 0.08)


def of_haystacks(
    n_records: int, n_queries: int, at_least: float, at_most: float
) -> Iterator[Share]:
    """Intervals of the F1 of needles, whose units lean on a query and on a haystack."""
    chosen = np.random.default_rng(n_records)
    about = f"{n_records} haystacks, {n_queries} queries: "
    for name, finding in FINDINGS.items():
        for n_tasks in (1, 4):
            units = needles_found(N_MEASURED, n_records, n_queries, chosen, (finding,), n_tasks)
            yield from _values_held(
                f"{about}intervals hold the value",
                f"{name}, {n_tasks} tasks", measured(units, n_queries * n_tasks),
                {"f1": finding.f1}, at_least, at_most,
            )  # fmt: skip
    truths, found = {}, {}
    for name, finding in FINDINGS.items():
        units = needles_found(N_COMPARED, n_records, n_queries, chosen, (finding, finding))
        truths[name, "f1"] = 0.0
        found[name, "f1"] = _compared("f1", units, n_queries + n_records)
    yield from _held(f"{about}intervals hold the difference", truths, found, 0.92, 0.99)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", truths, found, 0.07)


def of_models(n_filings: int, at_most: float) -> Iterator[Share]:
    """Intervals of two models' difference hold it; tests of equal models seldom say they differ."""
    chosen = np.random.default_rng(4)
    differences = _differences(COMPARED)
    found: dict[Cell, list[Ends]] = {}
    for name, models in COMPARED.items():
        units = answered(N_COMPARED, n_filings, chosen, models)
        for metric in population():
            found[name, metric] = _compared(metric, units, n_filings)
    about = f"models, {n_filings} filings: "
    # 1,000 experiments: a share of 0.95 is known to within 0.014
    yield from _held(f"{about}intervals hold the difference", differences, found, 0.92, at_most)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", differences, found, 0.07)


def of_opposites(n_filings: int, at_least: float) -> Iterator[Share]:
    """Tests of models with one value, but another profile, say that they differ in 3 to 7 %."""
    chosen = np.random.default_rng(n_filings)
    about = f"one value of two profiles, {n_filings} filings: p <= 0.05"
    for drawn, metric, pairs in (
        (answered, "llmc", OPPOSITE),
        (figures_found, "f1", OPPOSITE_FIGURES),
    ):
        for name, models in pairs.items():
            ends = _compared(metric, drawn(N_COMPARED, n_filings, chosen, models), n_filings)
            share = float(np.mean([p <= 0.05 for *_, p in ends]))
            yield Share(about, f"{name}, {metric}", share, at_least, 0.07)


def of_releases(n_filings: int, other_n_filings: int) -> Iterator[Share]:
    """Intervals of a change hold it; noise seldom passes for a change; changes are often found."""
    chosen = np.random.default_rng(n_filings)
    found: dict[Cell, list[Ends]] = {}
    for name, pair in CHANGED.items():
        rows, other_rows = (
            measured(answered(N_CHANGED, size, chosen, (kinds,)), size)
            for kinds, size in zip(pair, (n_filings, other_n_filings), strict=True)
        )
        for one, other in zip(rows, other_rows, strict=True):
            assert (one.judge, one.metric) == (other.judge, other.metric)
            values = one.value, (one.low, one.high)
            other_values = other.value, (other.low, other.high)
            low, high = change_interval(*values, *other_values)
            p = change_p(*values, one.n_groups, *other_values, other.n_groups)
            found.setdefault((name, one.metric), []).append((float(low), float(high), float(p)))
    # of the later release to the earlier
    changes = {cell: -value for cell, value in _differences(CHANGED).items()}
    about = f"releases, {n_filings} and {other_n_filings} filings: "
    # 300 experiments: a share of 0.95 is known to within 0.025
    yield from _held(f"{about}intervals hold the change", changes, found, 0.925, 1.0)
    yield from _false_alarms(f"{about}alike, and p <= 0.05", changes, found, 0.075)
    if n_filings >= 25:
        for name, at_least in (("better", 0.3), ("far apart", 1.0)):
            power = float(np.mean([p <= 0.05 for *_, p in found[name, "robustness"]]))
            yield Share(f"{about}{name}, and p <= 0.05", "robustness", power, at_least, 1.0)


# (population, metric)
Cell = tuple[str, str]
P_VALUES = ("p_mcnemar", "p_permutation", "p_student")
# low, high, p
Ends = tuple[float, float, float]


def _compared(metric: str, units: Mapping[str, Units], n_filings: int) -> list[Ends]:
    """Compare the two models of each experiment that have an interval."""
    names = LLM_COMPLIANCE.of if metric == "llmc" else (metric,)

    def statistic(*sums: Any) -> Any:
        parts = (Summed(total, size) for total, size in zip(sums[::2], sums[1::2], strict=True))
        by_name = dict(zip(names, parts, strict=True))
        return LLM_COMPLIANCE.value(by_name, beta=0.5) if len(names) > 1 else by_name[metric].value

    parts = tuple(paired(name, units[name], n_filings) for name in names)
    found = [
        (row["low"], row["high"], max(row[name] or 0.0 for name in P_VALUES))
        for row in compared_models(parts, statistic, True, metric)
        if row["low"] is not None
    ]
    if len(found) < 0.9 * N_COMPARED:
        raise ValueError(f"{metric}: {len(found)} intervals of {N_COMPARED}")
    return found


def _values_held(
    experiment: str,
    name: str,
    rows: list[Metric],
    truths: Mapping[str, float],
    at_least: float,
    at_most: float,
) -> Iterator[Share]:
    for metric, truth in truths.items():
        of_it = [row for row in rows if row.metric == metric]
        found = [row.low <= truth <= row.high for row in of_it if row.low is not None]
        if len(found) < N_MEASURED:
            raise ValueError(f"{name}, {metric}: {len(found)} intervals of {N_MEASURED}")
        yield Share(experiment, f"{name}, {metric}", float(np.mean(found)), at_least, at_most)


def _differences(pairs: Mapping[str, tuple[Kinds, Kinds]]) -> dict[Cell, float]:
    """(name, metric) -> the value of the first population less that of the second."""
    return {
        (name, metric): value - population(other)[metric]
        for name, (one, other) in pairs.items()
        for metric, value in population(one).items()
    }


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
