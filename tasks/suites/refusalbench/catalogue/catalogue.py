"""Levers and intensity criteria by stratum: the packaged ones and a user's own.

Layout of a file, packaged or own (classes and intensities as in `strata.py`):

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

A user's file adds levers to any stratum. A description or criterion in it replaces the packaged
one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from annotated_types import MinLen

from tasks.core.errors import WrongUsage
from tasks.core.untrusted import read_toml
from tasks.core.validation import STRICT, WrongTable, check_keys, validated
from tasks.suites.refusalbench.strata import (
    ANSWER,
    CLASSES,
    INTENSITIES,
    Intensity,
    PerturbationClass,
    expected_code,
)

Text = Annotated[str, MinLen(1)]
Stratum = tuple[PerturbationClass, Intensity]
_NUMBERED = re.compile(r"^\W*\d+\W+")


class WrongLeversFile(WrongUsage):
    """A file of levers that cannot be used; the message names file, lever and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """One way to perturb a question or its passage, with an example."""

    __pydantic_config__ = STRICT
    name: Text
    perturbation_class: PerturbationClass
    intensity: Intensity
    definition: Text
    query: Text
    context: Text
    answer: Text | None = None  # None if the example is to be refused

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
        """Return the lever of a stratum that a model named, or None if none or two fit.

        Case, punctuation and the number of a list item make no difference.
        """
        meant = {_key(name), _key(_NUMBERED.sub("", name))}
        found = [
            lever for lever in self.of(perturbation_class, intensity) if _key(lever.name) in meant
        ]
        return found[0] if len(found) == 1 else None


def read_catalogue(own: Path | None = None) -> Catalogue:
    """Return the packaged catalogue, with the levers of a user's file if one is given.

    Raises:
        WrongLeversFile: the file cannot be read or is not TOML; a class, intensity or key is
            unknown; a lever lacks a field or has a name that exists; an answer is missing at low
            intensity, or given at another one.
    """
    if own is None:
        return _packaged()
    try:
        return _joined(_packaged(), read_toml(own))
    except OSError as error:
        raise WrongLeversFile(f"cannot read the file of levers {own}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongLeversFile(f"the file of levers {own} is not TOML: {error}") from error
    except WrongTable as error:
        raise WrongLeversFile(
            f"{own}: {error}. Its layout must be that of the packaged files, such as "
            "tasks/suites/refusalbench/catalogue/ambiguity.toml"
        ) from error


@cache
def _packaged() -> Catalogue:
    found = Catalogue(levers=(), criteria={}, descriptions={})
    folder = files("tasks.suites.refusalbench.catalogue")
    for name in CLASSES:
        content = tomllib.loads(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        found = _joined(found, content)
    return found


def _joined(known: Catalogue, content: Mapping[str, Any]) -> Catalogue:
    """Return a catalogue with the levers of a file after its own."""
    check_keys(content, CLASSES, "the file")
    taken = {_key(lever.name): lever for lever in known.levers}
    levers, criteria, descriptions = [*known.levers], {**known.criteria}, {**known.descriptions}
    for perturbation_class in CLASSES:
        table = _table(content, perturbation_class, f"[{perturbation_class}]")
        check_keys(table, ("description", *INTENSITIES), f"[{perturbation_class}]")
        if "description" in table:
            descriptions[perturbation_class] = _text(table, "description", perturbation_class)
        for intensity in INTENSITIES:
            stratum = (perturbation_class, intensity)
            where = ".".join(stratum)
            part = _table(table, intensity, f"[{where}]")
            check_keys(part, ("criterion", "levers"), f"[{where}]")
            if "criterion" in part:
                criteria[stratum] = _text(part, "criterion", where)
            for lever in _levers(part, stratum, where):
                twin = taken.setdefault(_key(lever.name), lever)
                if twin is not lever:
                    raise WrongTable(
                        f"[[{where}.levers]]: the name {lever.name!r} exists as {twin.name!r} in "
                        f"{twin.perturbation_class}.{twin.intensity}; reports and replies tell "
                        "levers by name: choose another one"
                    )
                levers.append(lever)
    return Catalogue(levers=tuple(levers), criteria=criteria, descriptions=descriptions)


def _levers(part: Mapping[str, Any], stratum: Stratum, where: str) -> Iterator[Lever]:
    rows = part.get("levers", [])
    if not isinstance(rows, list):
        raise WrongTable(f"levers of [{where}]: write [[{where}.levers]] above each lever")
    perturbation_class, intensity = stratum
    given = {"perturbation_class": perturbation_class, "intensity": intensity}
    is_answered = expected_code(perturbation_class, intensity) == ANSWER
    for number, row in enumerate(rows, start=1):
        name = f"lever {number} of [[{where}.levers]]"
        lever = validated(Lever, row, name, given=given)
        if not _key(lever.name):
            raise WrongTable(f"{name}: the name {lever.name!r} has no letter or digit")
        if is_answered and lever.answer is None:
            raise WrongTable(
                f"{name}: no answer; a {intensity} example is answerable: add answer = ..."
            )
        if not is_answered and lever.answer is not None:
            raise WrongTable(
                f"{name}: it has an answer, but a {intensity} example is refused: remove answer"
            )
        yield lever


def _table(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    table = content.get(key, {})
    if not isinstance(table, Mapping):
        raise WrongTable(f"{key}: expected a table {where}, not {table!r}")
    return table


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    text = table[key]
    if not isinstance(text, str) or not text.strip():
        raise WrongTable(f"[{where}]: {key} must be a sentence, not {text!r}")
    return text


def _key(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
