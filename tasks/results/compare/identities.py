"""How two releases were made: differences in identities, code and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, get_args

from tasks.lake.lake import Commit

Kind = Literal["filings", "parameters", "models", "prompts", "code", "packages"]

_KINDS: tuple[Kind, ...] = get_args(Kind)

# The other parts of an identity. `inputs` are the rows themselves, which are compared directly.
# People's ratings, and what the catalogue says of models besides cutoffs, change no score.
_KIND_OF: dict[str, Kind] = {"version": "code", "cutoffs": "parameters"}
_NOT_COMPARED = ("inputs", "audits", "models")
# Stands for a model's steps, which are other ones for each model.
_OF_A_MODEL = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDifferently:
    """One setting, version or model that differs between two releases."""

    kind: Kind
    name: str  # a template, a room of code, a package, a parameter, or a model's role and name
    before: Any  # None if the earlier release does not have it; of a model, its identity
    after: Any
    steps: tuple[str, ...]  # that both releases have; of a model, none


def made_differently(before: Iterable[Commit], after: Iterable[Commit]) -> list[MadeDifferently]:
    """List the differences between steps in both releases, and between models, by kind and name."""
    was, now = _values(before), _values(after)
    both = {_OF_A_MODEL} | ({step for *_, step in was} & {step for *_, step in now})
    differing = [
        (was.get(key), now.get(key), *key)
        for key in was.keys() | now.keys()
        if key[2] in both and was.get(key) != now.get(key)
    ]

    def change(row: tuple[Any, ...]) -> tuple[int, str, str]:
        old, new, kind, name, _ = row
        return _KINDS.index(kind), name, repr((old, new))

    found = []
    for _, rows in groupby(sorted(differing, key=lambda row: (change(row), row[4])), key=change):
        (old, new, kind, name, step), *others = rows
        steps = tuple(filter(None, [step, *(other for *_, other in others)]))
        found.append(MadeDifferently(kind=kind, name=name, before=old, after=new, steps=steps))
    return found


def named_models(parameter: Any) -> list[Mapping[str, Any]]:
    """List the models that a parameter names, each with name, engine and identity."""
    entries = parameter if isinstance(parameter, list) else [parameter]
    return [entry for entry in entries if isinstance(entry, Mapping) and "identity" in entry]


def _values(commits: Iterable[Commit]) -> dict[tuple[Kind, str, str], Any]:
    """Map (kind, name, step) to each compared value."""
    found: dict[tuple[Kind, str, str], Any] = {}
    for commit in commits:
        for role, value in commit.identity["parameters"].items():
            for model in named_models(value):
                found["models", f"{role} {model['name']}", _OF_A_MODEL] = model["identity"]
        for part, value in {**commit.identity, "code": commit.made_by.code}.items():
            if part not in _NOT_COMPARED:
                kind = next(
                    (kind for kind in _KINDS if kind == part), _KIND_OF.get(part, "filings")
                )
                # A parameter or a room is named without its kind.
                for name, leaf in _flat("" if part == kind else part, value):
                    found[kind, name, commit.step.name] = leaf
    return found


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value's leaves with their paths, without models."""
    if named_models(value):
        return
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), below)
    else:
        yield name, value
