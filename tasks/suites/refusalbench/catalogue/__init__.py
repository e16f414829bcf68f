"""Levers and intensity criteria by stratum, and what a class may change: a TOML file a class.

Layout of a file (classes and intensities as in `strata.py`):

    [ambiguity]
    description = "what the class is, in one sentence"

    [ambiguity.low]
    criterion = "what this intensity of this class means, in one sentence"

    [[ambiguity.low.levers]]
    name = "Dominant-sense Polysemy"
    definition = "an instruction to the writer of the perturbation"
    query = "an example of a perturbed query"
    context = "the sentences that it is asked of"
    answer = "its answer: at low intensity only, as the others are refused"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from tasks.suites.refusalbench.strata import (
    ANSWER,
    CLASSES,
    STRATA,
    PerturbationClass,
    Setting,
    Stratum,
    expected_code,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One way to perturb a question or its passage, with an example."""

    name: str
    definition: str
    query: str
    context: str
    answer: str | None = None  # None if the example is to be refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What must, may and must not change; at least one of the parts that may change has to.

    A question on one passage has no noise.
    """

    query: Literal["must", "may", "keep"] = "keep"
    signal: Literal["all", "may", "keep"] = "keep"
    noise: Literal["one", "keep"] = "keep"


_EITHER = Target(query="may", signal="may")
_SIGNAL_AND_QUERY = Target(query="may", signal="all")
# Of a class: its target with one passage, and with ten.
_TARGETS: dict[PerturbationClass, tuple[Target, Target]] = {
    "ambiguity": (_EITHER, _EITHER),
    "contradiction": (Target(signal="all"), Target(noise="one")),
    "missing_info": (Target(signal="all"), Target(signal="all")),
    "false_premise": (Target(query="must"), Target(query="must")),
    "granularity_mismatch": (_EITHER, _SIGNAL_AND_QUERY),
    "epistemic_mismatch": (_EITHER, _SIGNAL_AND_QUERY),
}


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All levers, in the order of the files, with what their classes and intensities mean."""

    levers: Mapping[Stratum, tuple[Lever, ...]]
    criteria: Mapping[Stratum, str]
    descriptions: Mapping[PerturbationClass, str]

    def find(self, name: str, stratum: Stratum) -> Lever:
        """Return the lever of a stratum that has a name."""
        return next(lever for lever in self.levers[stratum] if lever.name == name)

    def describe(self, setting: Setting, stratum: Stratum, lever: Lever) -> Mapping[str, str]:
        """Describe a stratum and a lever to generators and verifiers: prompts' inputs by name."""
        expected = expected_code(*stratum)
        return {
            "stratum": ", ".join(stratum),
            "description": self.descriptions[stratum[0]],
            "criterion": self.criteria[stratum],
            "target": _describe(target_of(setting, stratum[0])),
            "lever": f"{lever.name}: {lever.definition}\nQuestion: {lever.query}\n"
            f"Passage: {lever.context}\nRight reply: {lever.answer or expected}",
            "expected": expected,
            "constraint": (
                "it must stay the right reply, unchanged, even if the example's is of another kind."
                if expected == ANSWER
                else f"a sound system must not give it any more, but refuse with {expected}."
            ),
        }


@cache
def read_catalogue() -> Catalogue:
    """Read the 176 levers."""
    folder = files("tasks.suites.refusalbench.catalogue")
    classes = {
        name: tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"))[name]
        for name in CLASSES
    }
    strata = {stratum: classes[stratum[0]][stratum[1]] for stratum in STRATA}
    return Catalogue(
        levers={
            stratum: tuple(Lever(**row) for row in table["levers"])
            for stratum, table in strata.items()
        },
        criteria={stratum: table["criterion"] for stratum, table in strata.items()},
        descriptions={name: table["description"] for name, table in classes.items()},
    )


def target_of(setting: Setting, perturbation_class: PerturbationClass) -> Target:
    """Return what a perturbation of a class may change."""
    single, multi = _TARGETS[perturbation_class]
    return single if setting == "single" else multi


def _describe(target: Target) -> str:
    """Return a target as instructions for a prompt."""
    query = {
        "must": "Change the question.",
        "may": "You may change the question, too.",
        "keep": "Keep the question word for word.",
    }[target.query]
    signal = {
        "all": "Change every signal passage.",
        "may": "",
        "keep": "Keep every signal passage word for word.",
    }[target.signal]
    if target.query == target.signal == "may":
        query = "Change the question, or one or more signal passages, or both."
    noise = {
        "one": "Change exactly one noise passage, so that it clashes with the signal passages.",
        "keep": "Keep every noise passage word for word.",
    }[target.noise]
    return " ".join(filter(None, (signal, query, noise)))
