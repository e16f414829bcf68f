"""How two releases were made: differences in identities, code and models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.lake.lake import Commit

_KINDS = ("filings", "parameters", "models", "prompts", "code", "packages")
# The other parts of an identity; what is not named here is of the filings. `inputs` are the rows
# themselves, which are compared directly. People's ratings, and what the catalogue says of models
# besides cutoffs, change no score.
_KIND_OF = {**{kind: kind for kind in _KINDS}, "version": "code", "cutoffs": "parameters"}
_NOT_COMPARED = ("inputs", "audits", "models")
# Stands for a model's steps, which are other ones for each model.
_OF_A_MODEL = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDifferently:
    """One setting, version or model that differs between two releases."""

    kind: str  # of `_KINDS`
    name: str  # a template, a room of code, a package, a parameter, or a model's role and name
    before: Any  # None if the earlier release does not have it; of a model, its identity
    after: Any
    steps: tuple[str, ...]  # that both releases have; of a model, none


def made_differently(before: Iterable[Commit], after: Iterable[Commit]) -> list[MadeDifferently]:
    """List the differences between steps in both releases, and between models, by kind and name."""
    was, now = _values(before), _values(after)
    both = {_OF_A_MODEL} | ({step for *_, step in was} & {step for *_, step in now})
    changes: dict[tuple[int, str, str], list[tuple[str, Any, Any]]] = defaultdict(list)
    for key in sorted(was.keys() | now.keys()):
        kind, name, step = key
        old, new = was.get(key), now.get(key)
        if step in both and old != new:
            changes[_KINDS.index(kind), name, repr((old, new))].append((step, old, new))
    return [
        MadeDifferently(
            kind=_KINDS[kind],
            name=name,
            before=rows[0][1],
            after=rows[0][2],
            steps=tuple(step for step, *_ in rows if step != _OF_A_MODEL),
        )
        for (kind, name, _), rows in sorted(changes.items())
    ]


def named_models(parameter: Any) -> list[Mapping[str, Any]]:
    """List the models that a parameter names, each with name, engine and identity."""
    entries = parameter if isinstance(parameter, list) else [parameter]
    return [entry for entry in entries if isinstance(entry, Mapping) and "identity" in entry]


def _values(commits: Iterable[Commit]) -> dict[tuple[str, str, str], Any]:
    """Map (kind, name, step) to each compared value."""
    values: dict[tuple[str, str, str], Any] = {}
    for commit in commits:
        for role, value in commit.identity["parameters"].items():
            for model in named_models(value):
                values["models", f"{role} {model['name']}", _OF_A_MODEL] = model["identity"]
        for part, value in {**commit.identity, "code": commit.made_by.code}.items():
            if part not in _NOT_COMPARED:
                kind = _KIND_OF.get(part, "filings")
                # A parameter or a room is named without its kind.
                for name, leaf in _flat("" if part == kind else part, value):
                    values[kind, name, commit.step.name] = leaf
    return values


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value's leaves with their paths, without models."""
    if named_models(value):
        return
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), below)
    else:
        yield name, value
