"""Facts about a release for its data set card."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Reject
from tasks.lake.lake import Lake, Step
from tasks.results.compare.identities import models_of_both


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """A suite's cases in one release."""

    suite: str
    n_pairs: int
    n_cases: int
    files: tuple[str, ...]  # below the data set's folder
    parameters: Mapping[str, Any]  # of build; empty for cases from a published file
    generator: str | None  # None for a published file, or if the suite's own rules write pairs
    is_by_rules: bool  # whether rules wrote the questions, not a language model
    citer: str | None
    panel: tuple[str, ...]  # models that voted on the pairs
    models: tuple[str, ...]  # whose answers this lake has ratings for
    judges: tuple[str, ...]
    rejects: tuple[tuple[str, str, int], ...]  # (stage, reason, count), most frequent first


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """One release: a split of the data set."""

    release: str
    split: str
    n_filings: int
    filings_file: str
    source: Mapping[str, Any]  # from the identity of ingest
    is_of_samples: bool  # whether its companies are invented
    code: str  # a hash of its code, prompts and data
    sha256: str  # of the split's files concatenated: each suite's, then the filings'
    suites: tuple[SuiteFacts, ...]


class WrongReleaseName(WrongUsage):
    """Two releases would become the same split."""


def splits_of(releases: Sequence[str]) -> dict[str, str]:
    """Map each release to its split name: letters, digits, underscores, single dots.

    Raises:
        WrongReleaseName: two releases get the same name.
    """
    splits = {release: re.sub(r"[^A-Za-z0-9_.]|\.(?=\.|$)", "_", release) for release in releases}
    if repeated := [split for split, n in Counter(splits.values()).items() if n > 1]:
        both = " and ".join(release for release in releases if splits[release] == repeated[0])
        raise WrongReleaseName(
            f"releases {both} would both be the split {repeated[0]}; "
            "export each into a folder of its own, with a separate command"
        )
    return splits


def suite_facts(
    lake: Lake, release: str, suite: str, *, n_pairs: int, n_cases: int, files: Sequence[str]
) -> SuiteFacts:
    """Collect facts about a release's suite from the lake's commits."""
    commits = [commit for commit in lake.commits(release) if commit.step.name.startswith(f"{suite}.")]
    built = [commit for commit in commits if commit.step.name.startswith(f"{suite}.build.")]
    named = models_of_both((), commits)
    parameters = {
        name: value
        for commit in built
        for name, value in commit.identity["parameters"].items()
        if value is not None and not _holds_models(value)
    }
    written = [commit for commit in built if commit.step.name.endswith(".qa_pairs")]
    writers = [
        commit.identity["parameters"]["generator"]
        for commit in written
        if "generator" in commit.identity["parameters"]
    ]
    rejects = Counter(
        (reject.stage, reject.reason) for commit in built for reject in lake.each(commit, Reject)
    )

    def of_role(role: str) -> tuple[str, ...]:
        return tuple(model.name for model in named if model.role == role)

    return SuiteFacts(
        suite=suite,
        n_pairs=n_pairs,
        n_cases=n_cases,
        files=tuple(files),
        parameters=dict(sorted(parameters.items())) if written else {},
        generator=writers[0]["name"] if writers else None,
        is_by_rules=any(writer["engine"] == "extractive" for writer in writers),
        citer=next(iter(of_role("citer")), None),
        panel=of_role("panel"),
        models=of_role("model"),
        judges=of_role("judge"),
        rejects=tuple((stage, reason, n) for (stage, reason), n in sorted(rejects.items(), key=_most_first)),
    )


def _holds_models(parameter: Any) -> bool:
    """Return whether a parameter names models; the card lists them by role."""
    entries = parameter if isinstance(parameter, list) else [parameter]
    return any(isinstance(entry, dict) for entry in entries)


def _most_first(item: tuple[tuple[str, str], int]) -> tuple[int, tuple[str, str]]:
    return -item[1], item[0]


def release_source(lake: Lake, release: str) -> dict[str, Any]:
    """Return a release's source from its ingest: `edgar`, `filings` or `dataset`."""
    commit = lake.commit_of(Step(release, "ingest"))
    assert commit is not None  # every release with cases was ingested
    return {key: commit.identity[key] for key in ("edgar", "filings", "dataset") if key in commit.identity}


def code_hash(lake: Lake, release: str) -> str:
    """Hash the release's code, prompts, packages and data to 12 hexadecimal digits."""
    made = {
        commit.step.name: [
            *(commit.identity[part] for part in ("version", "prompts", "packages")),
            commit.made_by.code,
        ]
        for commit in lake.commits(release)
        if commit.step.name == "ingest" or ".build." in commit.step.name
    }
    return sha256_hex(canonical_json(made))[:12]
