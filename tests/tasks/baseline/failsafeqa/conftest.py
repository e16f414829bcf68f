"""The invented documents of the suite's tests."""

from tests.tasks.suites.failsafeqa.conftest import document
from tests.tasks.suites.failsafeqa.perturbations.conftest import material, queries

__all__ = ["document", "material", "queries"]
