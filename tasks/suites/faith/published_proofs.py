"""Derive a published instance's figure and stated truth from its tables.

The two differ. Most truths were computed again from tables, with more digits than the sentence, and
some are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.derivations.passage import Passage
from tasks.suites.faith.derivations.search import Proof, prove
from tasks.suites.shared.tables.sheets import Sheet

# Operations whose result is no more precise than their cells.
_AS_FINE_AS_CELLS = frozenset(
    {"lookup", "difference", "sum", "point_difference", "difference_of_sums"}
)
# What a ratio of one is in these units, as a power of ten.
_POWERS = {"count": 0, "percent": 2, "bps": 4}


@dataclass(frozen=True, slots=True)
class Examined:
    """One instance, compared with its tables."""

    figure: Figure | None  # of the sentence; None if we cannot read it
    proofs: Sequence[Proof]  # of that figure, or else of the truth, best first
    agrees_with: Literal["sentence", "truth", "both"] | None  # what the tables give


def examine(instance: Mapping[str, Any], query: str, sheets: Sequence[Sheet]) -> Examined:
    """Derive a valid instance's figure and truth from the tables; `query` is its passage."""
    passage = Passage.read(query)
    figure = _in_place(instance, instance["sentence"][slice(*instance["mask_span"])])
    truth = _truth(instance, figure)
    of_figure = prove(passage, figure, sheets) if figure else []
    of_truth = prove(passage, truth, sheets) if truth else []
    gives_truth = bool(of_truth) or (
        truth is not None and any(_gives(proof, truth) for proof in of_figure)
    )
    if of_figure:
        return Examined(figure, of_figure, "both" if gives_truth else "sentence")
    return Examined(figure, of_truth, "truth" if of_truth else None)


def _in_place(instance: Mapping[str, Any], text: str) -> Figure | None:
    """Read a figure in place of the masked one, with the words around it."""
    start, end = instance["mask_span"]
    found = find_figures(instance["sentence"][:start] + text + instance["sentence"][end:])
    return next(
        (each for each in found if each.start_char < start + len(text) and each.end_char > start),
        None,
    )


def _truth(instance: Mapping[str, Any], figure: Figure | None) -> Figure | None:
    """Read the truth; another ratio is given in the sentence's unit, percent or basis points."""
    truth = _in_place(instance, instance["ground_truth"])
    if truth is None or figure is None or truth.unit == figure.unit:
        return truth
    if figure.unit not in ("percent", "bps") or truth.unit not in _POWERS:
        return truth
    power = _POWERS[figure.unit] - _POWERS[truth.unit]
    return replace(
        truth,
        unit=figure.unit,
        measure=figure.measure,
        value=truth.value.scaleb(power),
        decimals=truth.decimals - power,
    )


def _gives(proof: Proof, truth: Figure) -> bool:
    """Return whether a proof's value equals the truth at the coarser precision, signs aside."""
    decimals = truth.decimals
    if proof.operation in _AS_FINE_AS_CELLS:
        decimals = min(decimals, *(cell.decimals for cell in proof.operands))
    return abs(abs(proof.value) - abs(truth.value)) * 2 <= Decimal(1).scaleb(-decimals)
