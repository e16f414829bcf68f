"""Write a data set's folder.

It has no `eval.yaml`, by which the Hub runs a data set as a benchmark. That file can name only ten
scorers of Inspect, and none of them judges as a suite does: our name would stand over other
numbers.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tasks.core.files import replaced
from tasks.lake.lake import Commit, Lake, LakeError, may_change
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.compare.built import check_built
from tasks.results.publish.card import card, is_card
from tasks.results.publish.facts import (
    ReleaseFacts,
    SuiteFacts,
    code_hash,
    release_source,
    splits_of,
    suite_facts,
)
from tasks.results.publish.rows import (
    build_commits,
    case_rows,
    case_schema,
    evidence_of,
    filing_rows,
    filing_schema,
    n_shards,
    published_filings,
    write_rows,
)
from tasks.suites.registry import SUITES

# `datasets` and the hub read the card from this file.
_CARD = "README.md"


@dataclass(frozen=True, slots=True)
class _Split:
    """A release to publish: the commits of each of its suites."""

    release: str
    name: str
    suites: Mapping[str, Sequence[Commit]]

    @property
    def filings_file(self) -> str:
        return f"filings/{self.name}.parquet"

    def files(self, suite: str) -> list[str]:
        n = n_shards(self.suites[suite])
        return [f"{suite}/{self.name}-{shard:05d}-of-{n:05d}.parquet" for shard in range(n)]

    @property
    def all_files(self) -> list[str]:
        return [*(name for suite in self.suites for name in self.files(suite)), self.filings_file]


def publish(lake: Lake, releases: Sequence[str], folder: Path) -> list[ReleaseFacts]:
    """Write releases as a data set in the Hugging Face layout.

    A release is a split. Each suite is a configuration, and so are the filings. Each file is
    written atomically, the card last. The same lake gives the same bytes. Returns the card's facts.

    Args:
        releases: their names. If empty, all frozen releases that have cases.

    Raises:
        LakeError: a release has no cases or is not wholly built. Or the folder cannot be written,
            or it holds other files.
        WrongReleaseName: two releases would be one split.
    """
    splits = _splits(lake, releases)
    try:
        _check_folder(folder)
        facts = [_write_split(lake, split, folder) for split in splits]
        with replaced(folder / _CARD) as half_written:
            half_written.write_text(card(facts, version("tenkbench")), encoding="utf-8")
    except OSError as error:
        raise LakeError(f"cannot write {folder}: {error.strerror}") from error
    return facts


def _splits(lake: Lake, releases: Sequence[str]) -> list[_Split]:
    chosen = list(dict.fromkeys(releases)) or [
        name for name in lake.releases() if not may_change(name)
    ]
    built: dict[str, dict[str, list[Commit]]] = {}
    for release in chosen:
        of_suite = {suite: build_commits(lake, release, suite) for suite in SUITES}
        if found := {suite: commits for suite, commits in of_suite.items() if n_shards(commits)}:
            built[release] = found
        elif releases:
            raise LakeError(
                f"release {release} in {lake.url} has no cases; `tenkbench build"
                f"{place_options(lake=lake.url, release=release)}` makes them"
            )
    for release, suites in built.items():
        for suite in suites:
            check_built(lake, release, suite)
    if not built:
        raise LakeError(
            f"no frozen release in {lake.url} has cases; name one with --release (dev and names "
            "that end in -dev may change, so they are published only by name)"
        )
    return [
        _Split(release, name, built[release]) for release, name in splits_of(list(built)).items()
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


def _write_split(lake: Lake, split: _Split, folder: Path) -> ReleaseFacts:
    of_samples = is_of_samples(lake, split.release)
    filings = published_filings(lake, split.release, is_of_samples=of_samples)
    n_cases: Counter[str] = Counter()  # by filing
    suites: list[SuiteFacts] = []
    for suite, commits in split.suites.items():
        n_rows, evidence = 0, evidence_of(lake, split.release, suite)
        for shard, name in enumerate(split.files(suite)):
            rows = case_rows(lake, commits, suite, shard, filings, evidence)
            n_rows += write_rows(folder / name, case_schema(suite), _counted(rows, n_cases))
        n_pairs = sum(commit.n_rows("qa_pairs") for commit in commits)
        files = split.files(suite)
        suites.append(
            suite_facts(lake, split.release, suite, n_pairs=n_pairs, n_cases=n_rows, files=files)
        )
    n_filings = write_rows(
        folder / split.filings_file, filing_schema(), filing_rows(filings.values(), n_cases)
    )
    return ReleaseFacts(
        release=split.release,
        split=split.name,
        n_filings=n_filings,
        filings_file=split.filings_file,
        source=release_source(lake, split.release),
        is_of_samples=of_samples,
        code=code_hash(lake, split.release),
        sha256=_sha256([folder / name for name in split.all_files]),
        suites=tuple(suites),
    )


def _sha256(files: Sequence[Path]) -> str:
    """Hash the concatenated files."""
    found = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()


def _counted(rows: Iterator[dict[str, Any]], n_cases: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        n_cases[row.get("filing_id", "")] += 1  # none if the case is not of one filing
        yield row
