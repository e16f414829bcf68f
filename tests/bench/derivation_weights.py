"""Fit the weights of the evidence for derivations, on real filings.

`python tests/bench/derivation_weights.py [--write]` needs the shared test data beside the checkout.

Nobody labels anything. Every figure of Item 7 that could be masked counts as follows: either it is
one of the values that the tables could give, each as probable as its evidence says, or it is none
of them and has its digits by chance. Fitted is what makes all figures most probable in the sum.
`without` fits on all filings but one, to measure the search on that one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tasks.suites.faith.derivations import evidence
from tasks.suites.faith.derivations.evidence import gather
from tasks.suites.faith.derivations.expressions import rounds_to
from tasks.suites.faith.derivations.passage import Passage, read_passage, says_points
from tasks.suites.faith.derivations.search import chance, tables_of
from tests.derivation_trials import Filing, read_filings

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[3] / "shared"))
FILE = Path(evidence.__file__).with_name("weights.json")
# The penalty of the squares of weights, counted from the guesses below.
PENALTY = 1.0
# Guesses for what the filings hardly show; 0 for all other weights.
GUESSES = {
    "name, log": 1.0,
    "none": 3.0,
    "none: supposed": 3.0,
    "sum, phrase needs all": 8.0,
    "sum of quarters": 6.0,
    "no rate, but said": -3.0,
    "share, whole said": 3.0,
    "points, said": 2.0,
}

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of filings with their expressions, one after the other."""

    filings: Sequence[str]  # of each figure
    n: NDArray[np.int64]  # expressions of each figure
    features: NDArray[np.float32]  # of each expression
    gives: Numbers  # 1 if an expression gives its figure, else 0
    of_none: Numbers  # features of no expression, of each figure
    chance: Numbers  # of each figure

    def of(self, is_kept: NDArray[np.bool_]) -> Sample:
        """Keep some figures."""
        each = np.repeat(is_kept, self.n)
        return Sample(
            [name for name, kept in zip(self.filings, is_kept, strict=True) if kept],
            self.n[is_kept],
            self.features[each],
            self.gives[each],
            self.of_none[is_kept],
            self.chance[is_kept],
        )

    def likelihood(self, weights: Numbers) -> tuple[float, Numbers]:
        """Return the log likelihood of all figures, and its gradient."""
        n = self.features.shape[1]
        starts = np.r_[0, np.cumsum(self.n)[:-1]]
        scores = self.features @ weights[:n].astype(np.float32)
        none = self.of_none @ weights[n:]
        most = np.maximum(np.maximum.reduceat(scores, starts), none)
        each, none = np.exp(scores - np.repeat(most, self.n)), np.exp(none - most)
        giving = each * self.gives
        all_, given = (np.add.reduceat(part, starts) for part in (each, giving))
        all_, given = all_ + none, given + none * self.chance
        excess = giving / np.repeat(given, self.n) - each / np.repeat(all_, self.n)
        gradient = [
            excess.astype(np.float32) @ self.features,
            (none * self.chance / given - none / all_) @ self.of_none,
        ]
        return float(np.log(given / all_).sum()), np.concatenate(gradient)


def sample(filings: Sequence[Filing]) -> tuple[Sample, list[str]]:
    """Collect the evidence for all figures of filings; with it the names of the features."""
    names: list[str] = []
    rows = []
    for filing in filings:
        tables = tables_of(filing.sheets)
        for span in filing.spans:
            figure = span.figure
            reading = read_passage(Passage.read(span.query), in_points=says_points(figure))
            found = gather(reading, tables, figure.unit)
            if not found.expressions:
                continue
            gives = [
                rounds_to(one.value, figure.value, figure.decimals) for one in found.expressions
            ]
            names = [*found.features, *found.of_none]
            features = np.stack(list(found.features.values()), axis=1)
            rows.append(
                (
                    filing.name,
                    features.astype(np.float32),
                    gives,
                    list(found.of_none.values()),
                    chance(figure),
                )
            )
    of, features_, gives_, of_none, chances = zip(*rows, strict=True)
    return (
        Sample(
            of,
            np.array([len(each) for each in features_]),
            np.concatenate(features_),
            np.concatenate(gives_).astype(float),
            np.array(of_none),
            np.array(chances),
        ),
        names,
    )


def fitted(figures: Sample, names: Sequence[str]) -> dict[str, float]:
    """Fit the weights."""

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        likelihood, gradient = figures.likelihood(weights)
        off = weights - guess
        return PENALTY * off @ off / 2 - likelihood, PENALTY * off - gradient

    guess = np.array([GUESSES.get(name, 0.0) for name in names])
    found = minimize(loss, guess, jac=True, method="L-BFGS-B", options={"maxiter": 150})
    return {name: round(float(weight), 3) for name, weight in zip(names, found.x, strict=True)}


def without(figures: Sample, names: Sequence[str]) -> Mapping[str, dict[str, float]]:
    """Fit on all filings but one, for each: filing -> weights that never saw it."""
    of = np.array(figures.filings)
    return {name: fitted(figures.of(of != name), names) for name in sorted(set(of))}


def main(*, is_written: bool) -> None:
    """Fit on all filings; write the weights, or print how far those of the package are off."""
    weights = fitted(*sample(read_filings(SHARED / "filings")))
    if is_written:
        FILE.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    else:
        packaged = evidence.weights()
        most = max(weights, key=lambda name: abs(weights[name] - packaged.get(name, 0.0)))
        print(
            f"{most}: fitted {weights[most]}, packaged {packaged.get(most)}; no other is as far off"
        )


if __name__ == "__main__":
    main(is_written="--write" in sys.argv[1:])
