"""Provenance: a release's steps, models, settings and packages, from its commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import RunFailed, WrongUsage
from tasks.inference.prompts import own_prompts
from tasks.lake.lake import Commit
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.compare.identities import named_models
from tasks.results.report.measured import NothingMeasured
from tasks.results.report.messages import listed, say
from tasks.suites.registry import load_suite


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
    """What made a release, from its commits alone, whichever machine draws the page."""

    judges: tuple[str, ...]  # first the one whose figures are shown; see `judges_of`
    steps: tuple[StepRecord, ...]
    packages: tuple[str, ...]
    sql: str | None
    parameters: Mapping[str, Any]  # options of the suite's metrics
    first: str
    last: str
    is_of_samples: bool  # whether its filings are the packaged samples, of invented companies
    own_prompts: str = ""  # the sentence of `own_prompts_note`


def provenance(
    commits: Sequence[Commit],
    suite: str,
    judge: str | None = None,
    *,
    is_of_samples: bool = False,
    lake: str = RunSettings().lake,
) -> Provenance:
    """Collect the steps behind a suite's figures, from a release's commits, in order of completion.

    `judge` is whose figures to show; by default, the first that the newest run named.

    Raises:
        NothingMeasured: the suite was never scored.
        RunFailed: judgements were added, removed or changed since.
        WrongUsage: no such judge has rated.
    """
    release = commits[0].step.release
    ours = _in_order(commits, f"{suite}.", "ingest")
    score = next((commit for commit in ours if commit.step.name == f"{suite}.score"), None)
    if score is None:
        raise NothingMeasured(release, suite, lake)
    if changed := _changed_since(score, ours):
        raise RunFailed(
            f"release {release} has changed since it was scored: {', '.join(changed)}; `tenkbench "
            f"score{place_options(lake=lake, release=release, suite=suite)}` brings its metrics up "
            "to date"
        )
    packages = {item for commit in ours for item in commit.identity.get("packages", {}).items()}
    return Provenance(
        judges=judges_of(ours, suite, judge),
        steps=tuple(map(_record, ours)),
        packages=tuple(sorted(f"{name} {of}" for name, of in packages if of is not None)),
        sql=score.made_by.code.get("sql"),
        parameters=score.identity["parameters"],
        first=ours[0].committed_at,
        last=ours[-1].committed_at,
        is_of_samples=is_of_samples,
        own_prompts=own_prompts_note(ours, suite),
    )


def own_prompts_note(commits: Sequence[Commit], *suites: str) -> str:
    """Say which prompts of these suites were users' own; empty if all were packaged."""
    files = dict.fromkeys(file for suite in suites for file in own_prompts(commits, suite))
    return say("hero.own_prompts", files=listed(list(files))) if files else ""


def judges_of(commits: Sequence[Commit], suite: str, named: str | None = None) -> tuple[str, ...]:
    """List every judge of a suite: the named one, or else those that the newest run named.

    The newest run is the one that made the newest judgements, so a replay that makes none changes
    nothing. The other judges follow in the order in which they first finished, rules first.

    Raises:
        WrongUsage: the named judge has not rated.
    """
    judged = _in_order(commits, f"{suite}.judge.")
    names = [str(commit.identity["parameters"]["judge"]["name"]) for commit in judged]
    judges = list(dict.fromkeys(names))
    rules = list(load_suite(suite).rules)  # they finish at the same time, so use the suite's order
    judges.sort(key=lambda judge: rules.index(judge) if judge in rules else len(rules))
    if named is not None and named not in judges:
        raise WrongUsage(
            f"no answer of {suite} was rated by {named!r}; --judge takes {', '.join(judges)}"
        )
    newest = judged[-1].made_by.judges if judged else ()
    first = newest or names[-1:] if named is None else [named]  # older records name no judges
    return tuple(dict.fromkeys([*(judge for judge in first if judge in judges), *judges]))


def _in_order(commits: Iterable[Commit], *prefixes: str) -> list[Commit]:
    """Return the commits of steps that begin so, in order of completion."""
    return sorted(
        (commit for commit in commits if commit.step.name.startswith(prefixes)),
        key=lambda commit: (commit.committed_at, commit.step.name),
    )


def _changed_since(score: Commit, commits: Sequence[Commit]) -> list[str]:
    """List judgements that the metrics do not match, or that are outdated.

    A judgement is outdated if its answers or questions were replaced. The page shows metrics as
    scored, but comparisons and answers as they are now.
    """
    now = {commit.step.name: commit.content for commit in commits}
    judged = [commit for commit in commits if ".judge." in commit.step.name]
    read = {item for item in score.identity["inputs"].items() if ".judge." in item[0]}
    differing = read ^ {(commit.step.name, commit.content) for commit in judged}
    outdated = {
        commit.step.name
        for commit in judged
        if any(now.get(name) != content for name, content in commit.identity["inputs"].items())
    }
    return sorted({name for name, _ in differing} | outdated)


def _record(commit: Commit) -> StepRecord:
    counts: Counter[str] = Counter()
    for part in commit.parts:
        counts[part.table] += part.n_rows
    return StepRecord(
        commit.step.name,
        commit.fingerprint,
        commit.committed_at,
        ", ".join(f"{table.replace('_', ' ')} {n:,}" for table, n in counts.items()),
        ", ".join(_settings(commit.identity.get("parameters", {}))),
    )


def _settings(parameters: Mapping[str, Any]) -> Iterator[str]:
    for name, value in sorted(parameters.items()):
        names = [model["name"] for model in named_models(value)]
        settings = [*_settings(value)] if isinstance(value, Mapping) else [value]
        values = names or (value if isinstance(value, list) else settings)
        if known := [str(setting) for setting in values if setting not in (None, "")]:
            yield f"{name.replace('_', ' ')} {listed(known)}"
