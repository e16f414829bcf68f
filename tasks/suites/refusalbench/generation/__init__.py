"""Perturbations of base questions: how generators are asked, and what rules say of their replies.

Others use `STEP`, `GENERATOR` and `described`, the words in which a stratum is put to a model.
"""

from tasks.suites.refusalbench.generation.step import GENERATOR, STEP
from tasks.suites.refusalbench.generation.stratum import described

__all__ = ["GENERATOR", "STEP", "described"]
