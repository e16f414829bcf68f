"""Releases of a lake in the order of their time, which their names need not follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.lake.lake import Lake
from tasks.lake.records import may_change


@dataclass(frozen=True, slots=True)
class Release:
    """One release, and when it was made."""

    release: str
    is_frozen: bool  # false if it may be made again: `dev` and names that end in `-dev`
    # UTC, ISO 8601: the first commit of a frozen release, which may take new models for years; the
    # last commit of another one
    made_at: str


def lake_releases(lake: Lake, release: str | None = None) -> list[Release]:
    """Return one release of a lake, or all, by name."""
    committed: dict[str, list[str]] = {}
    for commit in lake.commits(release):
        committed.setdefault(commit.step.release, []).append(commit.committed_at)
    return [
        Release(name, False, max(times)) if may_change(name) else Release(name, True, min(times))
        for name, times in sorted(committed.items())
    ]


def lake_parameters(lake: Lake, release: str | None = None) -> dict[str, Any]:
    """Return the options that SQL reads by `getvariable`, as the scores of a release used them.

    Without a release, those of the last one by name.
    """
    parameters: dict[str, Any] = {}
    for commit in lake.commits(release):
        if commit.step.name.endswith(".score"):
            parameters |= commit.identity["parameters"]
    return parameters
