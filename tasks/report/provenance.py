"""Where the figures come from: the release's steps, models, settings and packages, as its commits recorded them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.report.measured import NothingMeasured
from tasks.store import Commit


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One finished step."""

    name: str
    fingerprint: str
    committed_at: str
    rows: str  # "requests 502, responses 502"
    settings: str  # "seed 17, pairs 4"


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a release, from the commits alone: nothing of the machine that draws the page."""

    steps: tuple[StepRecord, ...]
    packages: tuple[str, ...]
    sql: str | None
    beta: float
    first: str
    last: str


def provenance(commits: Sequence[Commit], suite: str) -> Provenance:
    """The steps that a suite's figures rest on, in the order in which they were finished.

    Args:
        commits: of one release, at least one.

    Raises:
        NothingMeasured: the suite was never scored.
    """
    release = commits[0].step.release
    ours = [commit for commit in commits if commit.step.name.startswith((f"{suite}.", "ingest"))]
    ours.sort(key=lambda commit: (commit.committed_at, commit.step.name))
    scores = [commit for commit in ours if commit.step.name == f"{suite}.score"]
    if not scores:
        raise NothingMeasured(release, suite)
    packages = {
        f"{name} {version}"
        for commit in ours
        for name, version in commit.identity.get("packages", {}).items()
        if version is not None
    }
    return Provenance(
        steps=tuple(
            StepRecord(
                commit.step.name,
                commit.fingerprint,
                commit.committed_at,
                _rows(commit),
                ", ".join(_settings(commit.identity.get("parameters", {}))),
            )
            for commit in ours
        ),
        packages=tuple(sorted(packages)),
        sql=scores[0].identity.get("sql"),
        beta=scores[0].identity["parameters"]["beta"],
        first=ours[0].committed_at,
        last=ours[-1].committed_at,
    )


def _rows(commit: Commit) -> str:
    counts: Counter[str] = Counter()
    for part in commit.parts:
        counts[part.table] += part.n_rows
    return ", ".join(f"{table.replace('_', ' ')} {n:,}" for table, n in counts.items())


def _settings(parameters: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in sorted(parameters.items()):
        words = f"{above}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _settings(value, f"{words} ")
        elif value not in (None, "", [], ()):
            yield f"{words} {value}"
