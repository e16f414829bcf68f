"""Training cutoffs: the last day of models' training data, per release.

A publisher may correct the day later, and a models file applies to one command only. Every reader
of a release therefore sees the cutoffs that the release was scored with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from tasks.lake.commits import Commit, Step
from tasks.lake.lake import Lake
from tasks.models.catalogue import stated_cutoffs

# model -> ISO date, or None if the publisher states none; part of a score step's identity
Stated = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Cutoff:
    """One judged model with a stated end of its training data, in one release and suite."""

    release: str
    suite: str
    model: str  # the judged model
    cutoff: date  # last day of the model's training data, as its publisher states it


def judged_models(commits: Iterable[Commit], suite: str) -> list[str]:
    """List the models whose answers these commits judge, by name."""
    judged = (commit for commit in commits if commit.step.name.startswith(f"{suite}.judge."))
    return sorted({commit.identity["parameters"]["model"] for commit in judged})


def stated(models: Collection[str], models_file: str | None) -> Stated:
    """Look up models' cutoffs in the catalogue and the models file."""
    known = stated_cutoffs(models_file)
    return {model: known[model].isoformat() if model in known else None for model in models}


def cutoffs_of(release: str, suite: str, found: Mapping[str, str | None]) -> list[Cutoff]:
    """Return one row per model with a cutoff."""
    return [
        Cutoff(release, suite, model, date.fromisoformat(day))
        for model, day in sorted(found.items())
        if day is not None
    ]


def lake_cutoffs(
    lake: Lake, release: str | None = None, models_file: str | None = None
) -> list[Cutoff]:
    """Return the cutoffs of judged models of a release, or of all.

    A scored model keeps the cutoff that its release was scored with. The catalogue and the models
    file give the cutoffs of the others.
    """
    by_suite: dict[tuple[str, str], list[Commit]] = {}
    for commit in lake.commits(release):
        suite, _, kind = commit.step.name.partition(".")
        if kind.startswith("judge."):
            by_suite.setdefault((commit.step.release, suite), []).append(commit)
    found = []
    for (of_release, suite), judged in by_suite.items():
        scored = lake.commit_of(Step(of_release, f"{suite}.score"))
        recorded: Stated = {} if scored is None else scored.identity.get("cutoffs", {})
        others = [model for model in judged_models(judged, suite) if model not in recorded]
        found += cutoffs_of(of_release, suite, recorded | stated(others, models_file))
    return found
