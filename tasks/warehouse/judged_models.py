"""Judged models per release: their cutoffs, and users' own prompts.

A publisher may correct a date later, and a models file applies to one command only. Every reader of
a release therefore sees what the release was scored with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from tasks.inference.prompts import own_prompts
from tasks.lake.lake import Lake
from tasks.lake.records import Commit, LakeStep
from tasks.models.catalogue import load_catalogue


@dataclass(frozen=True, slots=True)
class JudgedModel:
    """One judged model of one release and suite, as the catalogue or a models file states it."""

    release: str
    suite: str
    model: str  # the judged model
    cutoff: date | None = None  # last day of its training data; null if its publisher states none
    # users' own prompts that made the suite's figures, by commas; null if all were packaged
    own_prompts: str | None = None


def judged_models(commits: Iterable[Commit], suite: str) -> list[str]:
    """List the models whose answers these commits judge, by name."""
    judged = (commit for commit in commits if commit.step.name.startswith(f"{suite}.judge."))
    return sorted({commit.identity["parameters"]["model"] for commit in judged})


def stated(models: Collection[str], models_file: str | None) -> dict[str, dict[str, str | None]]:
    """Look up what a score step's identity has of models: `cutoffs`, ISO dates by model."""
    known = load_catalogue(models_file)
    days = {model: known[model].cutoff if model in known else None for model in models}
    return {"cutoffs": {name: day.isoformat() if day else None for name, day in days.items()}}


def models_of(release: str, suite: str, recorded: Mapping[str, Any]) -> list[JudgedModel]:
    """Return one row per model of what is stated, such as a score step's identity."""
    return [
        JudgedModel(release, suite, model, day and date.fromisoformat(day))
        for model, day in sorted(recorded.get("cutoffs", {}).items())
    ]


def lake_models(
    lake: Lake, release: str | None = None, models_file: str | None = None
) -> list[JudgedModel]:
    """Return the judged models of a release, or of all.

    A scored model keeps the cutoff that its release was scored with. The catalogue and the models
    file say it of the others.
    """
    by_suite: dict[tuple[str, str], list[Commit]] = {}
    for commit in lake.commits(release):
        suite = commit.step.name.partition(".")[0]
        by_suite.setdefault((commit.step.release, suite), []).append(commit)
    rows = []
    for (of_release, suite), commits in by_suite.items():
        scored = lake.commit_of(LakeStep(of_release, f"{suite}.score"))
        cutoffs = stated(judged_models(commits, suite), models_file)["cutoffs"]
        if scored is not None:
            cutoffs |= scored.identity.get("cutoffs", {})
        own = ", ".join(own_prompts(commits, suite)) or None
        models = models_of(of_release, suite, {"cutoffs": cutoffs})
        rows += [replace(model, own_prompts=own) for model in models]
    return rows
