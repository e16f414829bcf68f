"""FailSafeQA's derived metric."""

from __future__ import annotations

from tasks.suites.failsafeqa.options import FailSafeQAOptions
from tasks.suites.suite import Derived


def llm_compliance(
    robustness: float, context_grounding: float, options: FailSafeQAOptions
) -> float:
    """Combine robustness and context grounding (paper 000, "LLM Compliance").

    The F-measure (1 + b2) r g / (b2 g + r) with b2 = beta squared; 0 if both are 0.
    """
    squared = options.beta**2
    divisor = squared * context_grounding + robustness
    return (1 + squared) * robustness * context_grounding / divisor if divisor else 0.0


LLM_COMPLIANCE = Derived(
    of=("robustness", "context_grounding"), value=llm_compliance, options=("beta",)
)
