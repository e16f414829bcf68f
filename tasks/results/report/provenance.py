"""Where the figures come from: the release's steps, models, settings and packages, as its commits recorded them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.lake.lake import Commit
from tasks.results.report.measured import NothingMeasured
from tasks.suites.registry import load_suite


class UnknownJudge(WrongUsage):
    """No judge of this name has rated answers of the suite; the message lists those that have."""


class MetricsOutOfDate(RunFailed):
    """The metrics are of other judgements or answers than the lake now holds; the message says how to bring them up."""


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
    """What made a release, from the commits alone: nothing of the machine that draws the page.

    judges    the one whose figures are shown, then the others in the order in which they first finished
    """

    judges: tuple[str, ...]
    is_judge_named: bool  # whether somebody asked for it; else it is the one that finished first
    steps: tuple[StepRecord, ...]
    packages: tuple[str, ...]
    sql: str | None
    beta: float | None  # of a suite that has one
    first: str
    last: str
    is_of_samples: bool  # whether its filings are the packaged samples, which are of invented companies


def provenance(
    commits: Sequence[Commit], suite: str, judge: str | None = None, *, is_of_samples: bool = False
) -> Provenance:
    """The steps that a suite's figures rest on, in the order in which they were finished.

    Args:
        commits: of one release, at least one.
        judge: whose figures are to be shown; the one that finished first when not given.
        is_of_samples: see `Provenance`.

    Raises:
        NothingMeasured: the suite was never scored.
        MetricsOutOfDate: judgements have come, gone or changed since.
        UnknownJudge: no such judge has rated.
    """
    release = commits[0].step.release
    ours = [commit for commit in commits if commit.step.name.startswith((f"{suite}.", "ingest"))]
    ours.sort(key=lambda commit: (commit.committed_at, commit.step.name))
    scores = [commit for commit in ours if commit.step.name == f"{suite}.score"]
    if not scores:
        raise NothingMeasured(release, suite)
    if changed := _changed_since(scores[0], ours):
        raise MetricsOutOfDate(
            f"release {release} has changed since it was scored: {', '.join(changed)}; `tenkbench score` brings its "
            "metrics up to date"
        )
    packages = {
        f"{name} {version}"
        for commit in ours
        for name, version in commit.identity.get("packages", {}).items()
        if version is not None
    }
    return Provenance(
        judges=_judges(ours, suite, judge),
        is_judge_named=judge is not None,
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
        sql=scores[0].made_by.code.get("sql"),
        beta=scores[0].identity["parameters"].get("beta"),
        first=ours[0].committed_at,
        last=ours[-1].committed_at,
        is_of_samples=is_of_samples,
    )


def _changed_since(score: Commit, commits: Sequence[Commit]) -> list[str]:
    """Judgements that the metrics are not of, and those that are of answers or questions which have been replaced.

    The page shows metrics as they were scored, beside comparisons and answers as they are now.
    """
    now = {commit.step.name: commit.content for commit in commits}
    judged = [commit for commit in commits if _is_judging(commit.step.name)]
    read = {name: content for name, content in score.identity["inputs"].items() if _is_judging(name)}
    differing = read.items() ^ {(commit.step.name, commit.content) for commit in judged}
    outdated = {
        commit.step.name
        for commit in judged
        if any(now.get(name) != content for name, content in commit.identity["inputs"].items())
    }
    return sorted({name for name, _ in differing} | outdated)


def _is_judging(step: str) -> bool:
    return ".judge." in step


def _judges(commits: Sequence[Commit], suite: str, named: str | None) -> tuple[str, ...]:
    """Every judge of a suite, the named one first.

    Args:
        commits: in the order in which they were finished.

    Raises:
        UnknownJudge: the named one is not among them.
    """
    judged = [commit.identity for commit in commits if _is_judging(commit.step.name)]
    judges = list(dict.fromkeys(identity["parameters"]["judge"]["name"] for identity in judged))
    own = list(load_suite(suite).rules)  # rules finish in no time: they come as the suite has them
    judges.sort(key=lambda judge: own.index(judge) if judge in own else len(own))
    if named is None:
        return tuple(judges)
    if named not in judges:
        raise UnknownJudge(f"no answer of {suite} was rated by {named!r}; --judge takes {', '.join(judges)}")
    return (named, *(judge for judge in judges if judge != named))


def _rows(commit: Commit) -> str:
    counts: Counter[str] = Counter()
    for part in commit.parts:
        counts[part.table] += part.n_rows
    return ", ".join(f"{table.replace('_', ' ')} {n:,}" for table, n in counts.items())


def _settings(parameters: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, value in sorted(parameters.items()):
        words = f"{above}{name.replace('_', ' ')}"
        if isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
            for entry in value:
                yield from _settings(entry, f"{words} ")
        elif isinstance(value, Mapping):
            yield from _settings(value, f"{words} ")
        elif value not in (None, "", [], ()):
            yield f"{words} {value}"
