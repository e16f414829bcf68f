"""Cutoffs: the last day that a model's training data are from, as each release was scored with it.

A publisher may correct the day later, and a models file is named for one command only: what a release was scored with
is what every reader of that release sees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from tasks.lake.lake import Commit, Lake, Step
from tasks.models.catalogue import stated_cutoffs

# model -> the day as ISO text, None where its publisher states none: how the identity of a score step holds it
Stated = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The last day that a model's training data are from, in one suite of one release."""

    release: str
    suite: str
    model: str
    cutoff: date


def judged_models(commits: Iterable[Commit], suite: str) -> list[str]:
    """The models whose answers are judged by what these commits of a release hold, by name."""
    judged = (commit for commit in commits if commit.step.name.startswith(f"{suite}.judge."))
    return sorted({commit.identity["parameters"]["model"] for commit in judged})


def stated(models: Collection[str], models_file: str | None) -> Stated:
    """What the catalogue, and a models file where one is given, state of models.

    Raises:
        WrongModelsFile: the file cannot be read, or a row cannot be used.
    """
    known = stated_cutoffs(models_file)
    return {model: known[model].isoformat() if model in known else None for model in models}


def cutoffs_of(release: str, suite: str, found: Mapping[str, str | None]) -> list[Cutoff]:
    """One row per model with a cutoff."""
    return [
        Cutoff(release, suite, model, date.fromisoformat(day))
        for model, day in sorted(found.items())
        if day is not None
    ]


def lake_cutoffs(lake: Lake, release: str | None = None, models_file: str | None = None) -> list[Cutoff]:
    """The cutoffs of every judged model of a release, or of all releases.

    They are those that the release's suite was scored with; of models that it was not scored with yet, those that the
    catalogue and the models file state.

    Raises:
        WrongModelsFile: the file cannot be read, or a row cannot be used.
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
