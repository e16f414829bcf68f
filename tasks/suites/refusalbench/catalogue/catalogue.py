"""Levers and intensity criteria by stratum: a TOML file for each class.

Layout of a file (classes and intensities as in `strata.py`):

    [ambiguity]
    description = "what the class is, in one sentence"

    [ambiguity.low]
    criterion = "what this intensity of this class means, in one sentence"

    [[ambiguity.low.levers]]
    name = "Dominant-sense Polysemy"
    definition = "an instruction to the writer of the perturbation"
    query = "an example of a perturbed query"
    context = "the sentences of a 10-K that it is asked of"
    answer = "its answer: at low intensity only, as the others are refused"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tasks.suites.refusalbench.strata import (
    CLASSES,
    INTENSITIES,
    Intensity,
    PerturbationClass,
    expected_code,
)

Stratum = tuple[PerturbationClass, Intensity]
_NUMBERED = re.compile(r"^\W*\d+\W+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One way to perturb a question or its passage, with an example."""

    name: str
    perturbation_class: PerturbationClass
    intensity: Intensity
    definition: str
    query: str
    context: str
    answer: str | None = None  # None if the example is to be refused

    @property
    def example(self) -> str:
        """The example as a prompt shows it, with the right reply."""
        reply = self.answer or expected_code(self.perturbation_class, self.intensity)
        return f"Query: {self.query}\nContext: {self.context}\nRight reply: {reply}"


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All levers, with what their classes and intensities mean."""

    levers: tuple[Lever, ...]
    criteria: Mapping[Stratum, str]
    descriptions: Mapping[PerturbationClass, str]

    def of(self, perturbation_class: PerturbationClass, intensity: Intensity) -> tuple[Lever, ...]:
        """Return the levers of a stratum in the order of the files."""
        stratum = (perturbation_class, intensity)
        return tuple(
            lever for lever in self.levers if (lever.perturbation_class, lever.intensity) == stratum
        )

    def find(
        self, name: str, perturbation_class: PerturbationClass, intensity: Intensity
    ) -> Lever | None:
        """Return the lever of a stratum that a model named; None if none fits.

        Case, punctuation and the number of a list item make no difference.
        """
        names = {_key(name), _key(_NUMBERED.sub("", name))}
        levers = self.of(perturbation_class, intensity)
        return next((lever for lever in levers if _key(lever.name) in names), None)


@cache
def read_catalogue() -> Catalogue:
    """Read the 176 levers."""
    levers, criteria, descriptions = list[Lever](), dict[Stratum, str](), {}
    folder = files("tasks.suites.refusalbench.catalogue")
    for name in CLASSES:
        text = folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")
        table = tomllib.loads(text)[name]
        descriptions[name] = table["description"]
        for intensity in INTENSITIES:
            criteria[name, intensity] = table[intensity]["criterion"]
            levers += [
                Lever(perturbation_class=name, intensity=intensity, **row)
                for row in table[intensity]["levers"]
            ]
    return Catalogue(levers=tuple(levers), criteria=criteria, descriptions=descriptions)


def _key(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
