"""Proofs of labels by rule: why a perturbed question has its answer, or none.

A proof reads texts only, so that it holds for whoever wrote the perturbation. A module is a kind;
its `prove` returns None if no rule decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tasks.suites.refusalbench.proofs import absent, derivable, false_premise, two_values
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass

Prover = Callable[
    [BaseQuestion, PerturbationClass, Intensity, str, Sequence[str], str | None], LabelProof | None
]

# What proves that a question must be refused; the class has no proof if it is not here.
PROVERS: Mapping[PerturbationClass, Prover] = {
    "contradiction": two_values.prove,
    "false_premise": false_premise.prove,
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
    """
    prover = derivable.prove if intensity == "low" else PROVERS.get(perturbation_class)
    return prover(base, perturbation_class, intensity, query, passages, lever) if prover else None
