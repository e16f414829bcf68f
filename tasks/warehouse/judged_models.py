"""Judged models: what the catalogue says of them, per release.

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
from tasks.lake.records import Commit, Step
from tasks.models.catalogue import load_catalogue

# Parts of a score step's identity -> model -> what is stated of it: `cutoffs` an ISO date or None,
# `models` the fields of `_FACTS`, which change no score.
Stated = dict[str, dict[str, Any]]

_FACTS = ("family", "parameters_b", "tuning", "thinking_tokens")


@dataclass(frozen=True, slots=True)
class JudgedModel:
    """One judged model of one release and suite, as the catalogue or a models file states it."""

    release: str
    suite: str
    model: str  # the judged model
    cutoff: date | None = None  # last day of its training data; null if its publisher states none
    family: str | None = None  # models that differ in size, tuning or thoughts only; null if none
    # billions of parameters; of a mixture of experts, those active per token; null if unknown
    parameters_b: float | None = None
    tuning: str | None = None  # last step of its training: `SFT` or `DPO`; null if not stated
    thinking_tokens: int | None = None  # most tokens of its thoughts, 0 if none; null if unknown
    # users' own prompts that made the suite's figures, by commas; null if all were packaged
    own_prompts: str | None = None


def judged_models(commits: Iterable[Commit], suite: str) -> list[str]:
    """List the models whose answers these commits judge, by name."""
    judged = (commit for commit in commits if commit.step.name.startswith(f"{suite}.judge."))
    return sorted({commit.identity["parameters"]["model"] for commit in judged})


def stated(models: Collection[str], models_file: str | None) -> Stated:
    """Look up what the catalogue and the models file state of models."""
    known = load_catalogue(models_file)
    rows = {model: known[model] for model in models if model in known}
    cutoffs = {model: rows[model].cutoff if model in rows else None for model in models}
    return {
        "cutoffs": {model: day and day.isoformat() for model, day in cutoffs.items()},
        "models": {
            model: {fact: getattr(row, fact) for fact in _FACTS} for model, row in rows.items()
        },
    }


def models_of(
    release: str, suite: str, recorded: Mapping[str, Mapping[str, Any]]
) -> list[JudgedModel]:
    """Return one row per model of what is stated, such as a score step's identity."""
    cutoffs, facts = recorded.get("cutoffs", {}), recorded.get("models", {})
    return [
        JudgedModel(
            release,
            suite,
            model,
            None if cutoffs.get(model) is None else date.fromisoformat(cutoffs[model]),
            **facts.get(model, {}),
        )
        for model in sorted({*cutoffs, *facts})
    ]


def lake_models(
    lake: Lake, release: str | None = None, models_file: str | None = None
) -> list[JudgedModel]:
    """Return the judged models of a release, or of all.

    A scored model keeps what its release was scored with. The catalogue and the models file say it
    of the others.
    """
    by_suite: dict[tuple[str, str], list[Commit]] = {}
    for commit in lake.commits(release):
        suite = commit.step.name.partition(".")[0]
        by_suite.setdefault((commit.step.release, suite), []).append(commit)
    rows = []
    for (of_release, suite), commits in by_suite.items():
        scored = lake.commit_of(Step(of_release, f"{suite}.score"))
        recorded: Mapping[str, Any] = {} if scored is None else scored.identity
        now = stated(judged_models(commits, suite), models_file)
        models = models_of(
            of_release, suite, {part: now[part] | recorded.get(part, {}) for part in now}
        )
        own = ", ".join(own_prompts(commits, suite)) or None
        rows += [replace(model, own_prompts=own) for model in models]
    return rows
