"""The 176 levers that perturb questions and passages, as data: a TOML file for each class."""

from tasks.suites.refusalbench.catalogue.catalogue import (
    Catalogue,
    Lever,
    read_catalogue,
    target_of,
)

__all__ = ["Catalogue", "Lever", "read_catalogue", "target_of"]
