"""FailSafeQA's derived metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tasks.statistics.resampling import Summed
from tasks.suites.suite import Derived

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def llm_compliance(parts: Mapping[str, Summed], beta: float) -> NDArray[np.float64]:
    """Combine robustness and context grounding (paper 000, "LLM Compliance").

    The F-measure (1 + b2) r g / (b2 g + r) with b2 = beta squared; 0 if both are 0.
    """
    import numpy as np

    robustness, grounding = parts["robustness"].value, parts["context_grounding"].value
    divisor = beta**2 * grounding + robustness
    compliance = (1 + beta**2) * robustness * grounding / divisor
    return np.where(divisor == 0, 0.0, compliance)


LLM_COMPLIANCE = Derived(
    of=("robustness", "context_grounding"),
    value=llm_compliance,
    options=("beta",),
    grows=True,
    units="groups",
)
