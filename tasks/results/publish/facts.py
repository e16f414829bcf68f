"""Facts about a release for its data set card."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.core.ids import canonical_json, sha256_hex
from tasks.lake.lake import Commit, Lake, Step
from tasks.results.compare.identities import named_models
from tasks.results.report.provenance import own_prompts_note


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFacts:
    """A suite's cases in one release."""

    suite: str
    n_pairs: int
    n_cases: int
    file: str  # below the data set's folder
    parameters: Mapping[str, Any]  # of build; empty for cases from a published file
    roles: Mapping[str, tuple[str, ...]]  # models that built it, by role; none for a published file
    is_by_rules: bool  # whether the weightless rules played one of them
    own_prompts: str = ""  # the sentence of `own_prompts_note`


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """One release: a split of the data set."""

    release: str
    split: str
    n_filings: int
    files: tuple[str, ...]  # each suite's, then that of filings
    source: Mapping[str, Any]  # from the identity of ingest
    is_of_samples: bool  # whether its companies are invented
    code: str  # a hash of its code, prompts and data
    sha256: str  # of its files concatenated
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


def build_commits(lake: Lake, release: str, suite: str) -> list[Commit]:
    """Return the commits that hold a suite's contexts, pairs and cases."""
    return [
        commit for commit in lake.commits(release) if commit.step.name.startswith(f"{suite}.build.")
    ]


def suite_facts(lake: Lake, release: str, suite: str, *, n_cases: int, file: str) -> SuiteFacts:
    """Collect facts about a release's suite from the lake's commits."""
    built = build_commits(lake, release, suite)
    given = [item for commit in built for item in commit.identity["parameters"].items()]
    parameters = {
        name: value for name, value in given if value not in (None, []) and not named_models(value)
    }
    builders = {name: models for name, value in given if (models := named_models(value))}
    is_imported = any("dataset" in commit.identity for commit in built)
    return SuiteFacts(
        suite=suite,
        n_pairs=sum(commit.n_rows("qa_pairs") for commit in built),
        n_cases=n_cases,
        file=file,
        parameters={} if is_imported else dict(sorted(parameters.items())),
        roles={role: tuple(model["name"] for model in models) for role, models in builders.items()},
        is_by_rules=any(
            model["engine"] == "extractive" for models in builders.values() for model in models
        ),
        own_prompts=own_prompts_note(built, suite),
    )


def release_source(lake: Lake, release: str) -> dict[str, Any]:
    """Return a release's source from its ingest: `edgar`, `filings` or `dataset`."""
    commit = lake.commit_of(Step(release, "ingest"))
    assert commit is not None  # every release with cases was ingested
    return {
        key: commit.identity[key]
        for key in ("edgar", "filings", "dataset")
        if key in commit.identity
    }


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
