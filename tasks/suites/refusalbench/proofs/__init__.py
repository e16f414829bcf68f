"""Proofs of labels by rule: why a perturbed question has its answer, or none.

A proof reads texts only, so that it holds for whoever wrote the perturbation. A module is a kind;
its `prove` returns None if no rule decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.suites.refusalbench.proofs import (
    absent,
    derivable,
    false_premise,
    judgement,
    too_fine,
    two_readings,
    two_values,
)
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass

# What proves medium and high; a contradiction needs to know more.
_PROVERS = {
    "ambiguity": two_readings.prove,
    "epistemic_mismatch": judgement.prove,
    "false_premise": false_premise.prove,
    "granularity_mismatch": too_fine.prove,
    "missing_info": absent.prove,
}


def prove(
    base: BaseQuestion,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
    query: str,
    passages: Sequence[str],
    lever: str | None = None,
) -> LabelProof | None:
    """Prove the label of a perturbed question by its texts; return None if no rule can.

    Args:
        passages: all passages as perturbed, in the order of the base question's.
        lever: its name, if it is known.
    """
    if intensity == "low":
        return derivable.prove(base, query, passages)
    if perturbation_class == "contradiction":
        return two_values.prove(base, query, passages, intensity, lever)
    return _PROVERS[perturbation_class](base, query, passages)
