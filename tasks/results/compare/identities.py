"""How two releases were made: differences in identities, code and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tasks.lake.lake import Commit

Kind = Literal["filings", "parameters", "prompts", "code", "packages"]

KINDS: tuple[Kind, ...] = ("filings", "parameters", "prompts", "code", "packages")

# Roles besides those of a suite's build, in the order in which they are listed.
_LAST_ROLES = ("model", "judge")

# The other parts of an identity. `inputs` are the rows themselves, which are compared directly.
# People's ratings, and what the catalogue says of models besides cutoffs, change no score.
_KIND_OF: dict[str, Kind] = {"version": "code", "cutoffs": "parameters"}
_NOT_COMPARED = ("inputs", "audits", "models")


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDifferently:
    """One setting or version that differs between the steps of two releases."""

    kind: Kind
    name: str  # a template, a room of code, a package, a parameter
    before: Any  # None if the earlier release's steps did not have it
    after: Any
    steps: tuple[str, ...]  # that both releases have


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model in one role, and whether both releases have it."""

    role: str  # as the suite names it, or model or judge
    name: str
    change: Literal["same", "changed", "new", "gone"]  # changed: settings or checkpoint


def made_differently(before: Iterable[Commit], after: Iterable[Commit]) -> list[MadeDifferently]:
    """List the differences between steps in both releases, by kind and name.

    For models see `models_of_both`.
    """
    of_step = {commit.step.name: commit for commit in before}
    found: dict[tuple[Kind, str, str, str], tuple[Any, Any, list[str]]] = {}
    for commit in after:
        step = commit.step.name
        if step in of_step:
            for kind, name, was, now in _differences(of_step[step], commit):
                found.setdefault((kind, name, repr(was), repr(now)), (was, now, []))[2].append(step)
    ordered = sorted(found.items(), key=lambda item: (KINDS.index(item[0][0]), item[0]))
    return [
        MadeDifferently(kind=kind, name=name, before=was, after=now, steps=tuple(steps))
        for (kind, name, *_), (was, now, steps) in ordered
    ]


def models_of_both(before: Iterable[Commit], after: Iterable[Commit]) -> list[NamedModel]:
    """List every model that either release names, by role and name."""
    was, now = (_models(commits) for commits in (before, after))
    return [
        NamedModel(
            role=role,
            name=name,
            change=(
                "new"
                if (role, name) not in was
                else "gone"
                if (role, name) not in now
                else "same"
                if was[role, name] == now[role, name]
                else "changed"
            ),
        )
        for role, name in sorted(
            was.keys() | now.keys(),
            key=lambda key: (_LAST_ROLES.index(key[0]) if key[0] in _LAST_ROLES else -1, key),
        )
    ]


def _models(commits: Iterable[Commit]) -> dict[tuple[str, str], set[str]]:
    """Map (role, name) to the model's identities.

    There are several if steps used different ones.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for commit in commits:
        for role, value in commit.identity["parameters"].items():
            for model in named_models(value):
                found.setdefault((role, model["name"]), set()).add(model["identity"])
    return found


def named_models(parameter: Any) -> list[Mapping[str, Any]]:
    """List the models that a parameter names, each with name, engine and identity."""
    entries = parameter if isinstance(parameter, list) else [parameter]
    return [entry for entry in entries if isinstance(entry, Mapping) and "identity" in entry]


def _differences(before: Commit, after: Commit) -> Iterator[tuple[Kind, str, Any, Any]]:
    was, now = _leaves(before), _leaves(after)
    for kind, name in was.keys() | now.keys():
        if was.get((kind, name)) != now.get((kind, name)):
            yield kind, name, was.get((kind, name)), now.get((kind, name))


def _leaves(commit: Commit) -> dict[tuple[Kind, str], Any]:
    """Map (kind, name) to each compared value of a commit.

    Models are excluded.
    """
    found: dict[tuple[Kind, str], Any] = {}
    for part, value in {**commit.identity, "code": commit.made_by.code}.items():
        if part in _NOT_COMPARED:
            continue
        kind: Kind = next((kind for kind in KINDS if kind == part), _KIND_OF.get(part, "filings"))
        # A parameter or a room is named without its kind.
        name = "" if part == kind else part
        for below, leaf in _flat(name, value):
            found[kind, below] = leaf
    return found


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if named_models(value):
        return
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), below)
    else:
        yield name, value
