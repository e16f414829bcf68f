"""The 18 strata of perturbations and the codes that models refuse with (paper, section 3.2)."""

from __future__ import annotations

from itertools import product
from typing import get_args

from tasks.suites.refusalbench.rows import Intensity, PerturbationClass, Setting

CLASSES: tuple[PerturbationClass, ...] = get_args(PerturbationClass)
INTENSITIES: tuple[Intensity, ...] = get_args(Intensity)
SETTINGS: tuple[Setting, ...] = get_args(Setting)
Stratum = tuple[PerturbationClass, Intensity]
STRATA: tuple[Stratum, ...] = tuple(product(CLASSES, INTENSITIES))

ANSWER = "ANSWER_CORRECTLY"
OTHER = "REFUSE_OTHER"  # a code that models may give, and is never right

CODE_OF: dict[PerturbationClass, str] = {
    "ambiguity": "REFUSE_AMBIGUOUS_QUERY",
    "contradiction": "REFUSE_CONTRADICTORY_CONTEXT",
    "missing_info": "REFUSE_INFO_MISSING_IN_CONTEXT",
    "false_premise": "REFUSE_FALSE_PREMISE_IN_QUERY",
    "granularity_mismatch": "REFUSE_GRANULARITY_MISMATCH",
    "epistemic_mismatch": "REFUSE_NONFACTUAL_QUERY",
}
CODES = (*CODE_OF.values(), OTHER)

# The paper's text shortens the codes of the released data.
ALIASES = {
    "REFUSE_AMBIGUOUS": CODE_OF["ambiguity"],
    "REFUSE_CONTRADICTORY": CODE_OF["contradiction"],
    "REFUSE_MISSING": CODE_OF["missing_info"],
    "REFUSE_INFO_MISSING": CODE_OF["missing_info"],
    "REFUSE_FALSE_PREMISE": CODE_OF["false_premise"],
    "REFUSE_GRANULARITY": CODE_OF["granularity_mismatch"],
    "REFUSE_NONFACTUAL": CODE_OF["epistemic_mismatch"],
}

# Levels of stated confidence and the midpoints of their bins (appendix F.2).
MIDPOINTS = {
    "VERY_UNCERTAIN": 0.15,
    "UNCERTAIN": 0.4,
    "SOMEWHAT_CONFIDENT": 0.6,
    "CONFIDENT": 0.8,
    "VERY_CONFIDENT": 0.95,
}

# The names of classes in the authors' files.
RELEASED_CLASS: dict[PerturbationClass, str] = {
    "ambiguity": "P-Ambiguity",
    "contradiction": "P-Contradiction",
    "missing_info": "P-MissingInfo",
    "false_premise": "P-FalsePremise",
    "granularity_mismatch": "P-GranularityMismatch",
    "epistemic_mismatch": "P-EpistemicMismatch",
}


def expected_code(perturbation_class: PerturbationClass, intensity: Intensity) -> str:
    """Return what a model should do with a case: answer at low intensity, else refuse by class."""
    return ANSWER if intensity == "low" else CODE_OF[perturbation_class]
