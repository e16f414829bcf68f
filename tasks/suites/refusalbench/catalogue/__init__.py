"""The 176 levers that perturb questions and passages, as data: a TOML file for each class.

`read_catalogue` gives them; `targets` says what a perturbation of a class may change.
"""

from tasks.suites.refusalbench.catalogue.catalogue import Catalogue, Lever, read_catalogue
from tasks.suites.refusalbench.catalogue.targets import Target, describe, target_of

__all__ = ["Catalogue", "Lever", "Target", "describe", "read_catalogue", "target_of"]
