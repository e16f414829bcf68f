"""Votes of verifiers on perturbations.

Others use `STEP` and `VERIFIER`.
"""

from tasks.suites.refusalbench.verification.step import STEP, VERIFIER

__all__ = ["STEP", "VERIFIER"]
