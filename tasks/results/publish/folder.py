"""Write a data set's folder, and its card: a README with Hugging Face front matter.

It has no `eval.yaml` for the Hub to score it by: none of its scorers judges as a suite does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.core.errors import WrongUsage
from tasks.core.files import replaced
from tasks.lake.lake import Commit, Lake, LakeError, LakeStep, may_change
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.compare.identities import named_models
from tasks.results.opened import check_built
from tasks.results.publish.rows import CASES, OF_FILINGS, READ, write_rows
from tasks.results.report.provenance import own_prompts_note
from tasks.suites.registry import SUITES, load_suite
from tasks.text.visible import visible
from tasks.warehouse.connection import open_warehouse

_CARD = "README.md"  # `datasets` and the hub read the card from it


def publish(lake: Lake, releases: Sequence[str], folder: Path) -> list[ReleaseFacts]:
    """Write releases as a data set in the Hugging Face layout.

    A release is a split. Each suite is a configuration, and so are the filings. Each file is
    written atomically, the card last. The same lake gives the same bytes. Returns the card's facts.

    Args:
        releases: their names. If empty, all frozen releases that have cases.

    Raises:
        LakeError: a release has no cases or is not wholly built. Or the folder cannot be written,
            or it holds other files.
        WrongUsage: two releases would be one split.
    """
    frozen = [name for name in lake.releases() if not may_change(name)]
    suites_of = {name: _built_suites(lake, name) for name in dict.fromkeys(releases) or frozen}
    if not releases:
        suites_of = {name: suites for name, suites in suites_of.items() if suites}
    if not suites_of:
        raise LakeError(
            f"no frozen release in {lake.url} has cases; name one with --release (dev and names "
            "that end in -dev may change, so they are published only by name)"
        )
    for release, suites in suites_of.items():
        if not suites:
            raise LakeError(
                f"release {release} in {lake.url} has no cases; `tenkbench build"
                f"{place_options(lake=lake.url, release=release)}` makes them"
            )
        for suite in suites:
            check_built(lake, release, suite)
    splits = _splits_of(list(suites_of))
    try:
        _check_folder(folder)
        facts = [
            _write_split(lake, release, split, suites_of[release], folder)
            for release, split in splits.items()
        ]
        with replaced(folder / _CARD) as half_written:
            half_written.write_text(card(facts, version("tenkbench")), encoding="utf-8")
    except OSError as error:
        raise LakeError(f"cannot write {folder}: {error.strerror}") from error
    return facts


def _splits_of(releases: Sequence[str]) -> dict[str, str]:
    """Map each release to its split name: letters, digits, underscores, single dots."""
    splits = {release: re.sub(r"[^A-Za-z0-9_.]|\.(?=\.|$)", "_", release) for release in releases}
    if len(set(splits.values())) < len(splits):
        raise WrongUsage(
            f"two of the releases {', '.join(releases)} would be the same split; "
            "export each into a folder of its own, with a separate command"
        )
    return splits


def _build_commits(lake: Lake, release: str, suite: str) -> list[Commit]:
    commits = lake.commits(release)
    return [commit for commit in commits if commit.step.name.startswith(f"{suite}.build.")]


def _built_suites(lake: Lake, release: str) -> list[str]:
    return [
        suite
        for suite in SUITES
        if any(commit.n_rows("qa_pairs") for commit in _build_commits(lake, release, suite))
    ]


def _check_folder(folder: Path) -> None:
    """Refuse a folder that is not empty and has no card that tenkbench wrote."""
    if folder.exists() and not folder.is_dir():
        raise LakeError(f"'{folder}' is a file. Name a folder.")
    card_file = folder / _CARD
    is_ours = card_file.is_file() and is_card(card_file.read_text("utf-8", errors="replace"))
    if folder.exists() and any(folder.iterdir()) and not is_ours:
        raise LakeError(
            f"'{folder}' holds files, but no data set card of tenkbench (README.md). Name a new "
            "folder, or one of an earlier export."
        )


def _write_split(
    lake: Lake, release: str, split: str, suites: Sequence[str], folder: Path
) -> ReleaseFacts:
    import pyarrow.parquet as pq

    of_samples = is_of_samples(lake, release)
    about = {"is_of_samples": of_samples}
    facts: list[SuiteFacts] = []
    filings_file = f"filings/{split}.parquet"
    with open_warehouse(lake.files(release), query=READ) as warehouse:
        for suite in suites:
            file = f"{suite}/{split}.parquet"
            of_suite = about | {"suite": suite, "variants": [*load_suite(suite).variants]}
            n_cases = write_rows(warehouse, folder / file, CASES, of_suite)
            ids = pq.read_table(folder / file, columns=["filing_id"])["filing_id"]
            of_rows = {"file": file, "n_cases": n_cases, "is_of_filings": ids.null_count < n_cases}
            facts.append(_suite_facts(lake, release, suite, **of_rows))
        n_filings = write_rows(warehouse, folder / filings_file, OF_FILINGS, about)
    files = (*(suite.file for suite in facts), filings_file)
    ingest = lake.commit_of(LakeStep(release, "ingest"))
    assert ingest is not None  # every release with cases was ingested
    return ReleaseFacts(
        release=release,
        split=split,
        n_filings=n_filings,
        files=files,
        source=ingest.identity,
        is_of_samples=of_samples,
        sha256=_sha256([folder / file for file in files]),
        suites=tuple(facts),
    )


def _suite_facts(lake: Lake, release: str, suite: str, **of_rows: Any) -> SuiteFacts:
    built = _build_commits(lake, release, suite)
    settings = dict(item for commit in built for item in commit.identity["parameters"].items())
    roles = {name: models for name, value in settings.items() if (models := named_models(value))}
    is_imported = any("dataset" in commit.identity for commit in built)
    return SuiteFacts(
        suite=suite,
        n_pairs=sum(commit.n_rows("qa_pairs") for commit in built),
        parameters={
            name: value
            for name, value in sorted(settings.items())
            if not is_imported and name not in roles and value not in (None, [])
        },
        roles={role: tuple(model["name"] for model in models) for role, models in roles.items()},
        is_by_rules=any(
            model["engine"] == "extractive" for models in roles.values() for model in models
        ),
        own_prompts=own_prompts_note(built, suite),
        **of_rows,
    )


def _sha256(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest()


_TAG = "tenkbench"  # identifies our cards


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
    is_of_filings: bool = True  # whether texts are of filings, not of another source


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """One release: a split of the data set."""

    release: str
    split: str
    n_filings: int
    files: tuple[str, ...]  # each suite's, then that of filings
    source: Mapping[str, Any]  # from the identity of ingest
    is_of_samples: bool  # whether its companies are invented
    sha256: str  # of its files concatenated
    suites: tuple[SuiteFacts, ...]

    @property
    def kind(self) -> str:
        """Where its cases come from: dataset, samples, edgar or files."""
        if "dataset" in self.source:
            return "dataset"
        if self.is_of_samples:
            return "samples"
        return "edgar" if "edgar" in self.source else "files"

    @property
    def may_change(self) -> bool:
        """Whether the release may be made anew under its name."""
        return may_change(self.release)


def card(releases: Sequence[ReleaseFacts], version: str) -> str:
    """Write the README of a data set, of at least one suite a release: front matter and text."""
    of_suites = [suite for release in releases for suite in release.suites]
    names = list(dict.fromkeys(suite.suite for suite in of_suites))
    suites = [load_suite(name) for name in names]
    templates = Environment(
        loader=PackageLoader("tasks.results.publish", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; `plain` escapes texts from files
    )
    templates.filters |= {"plain": _plain, "count": lambda n: f"{n:,}"}
    return templates.get_template("card.md.jinja").render(
        title=f"tenkbench: {', '.join(names)} on financial documents",
        tag=_TAG,
        version=version,
        suites=suites,
        tasks={task: of.meaning for suite in suites for task, of in suite.page.tasks.items()},
        releases=releases,
        of_suites=of_suites,
        limits=[limit for name in names for limit in _limits_of(name)],
        kinds={release.kind for release in releases},
    )


def is_card(text: str) -> bool:
    """Return whether `card` wrote this README: its front matter has our tag."""
    front = text.split("---\n", 2)[1:2]
    return text.startswith("---\n") and f"- {_TAG}" in "".join(front).splitlines()


def _limits_of(suite: str) -> list[str]:
    """Read the bullets under "Limits" in a suite's README."""
    readme = files(SUITES[suite]).joinpath("README.md").read_text(encoding="utf-8")
    bullets = readme.partition("\n## Limits\n")[2].split("\n- ")
    return [" ".join(bullet.split()) for bullet in bullets[1:]]


def _plain(value: Any) -> str:
    """Write a setting in one line of Markdown, without markup and hidden characters."""
    if isinstance(value, dict):
        value = [f"{name} {share}" for name, share in value.items()]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return visible(text).translate(str.maketrans("\n`|<>", " '/()"))
