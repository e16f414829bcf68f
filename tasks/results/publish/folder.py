"""Write a data set's folder.

It has no `eval.yaml`, by which the Hub runs a data set as a benchmark. That file can name only ten
scorers of Inspect, and none of them judges as a suite does: our name would stand over other
numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from tasks.core.files import replaced
from tasks.lake.lake import Lake, LakeError, may_change
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.compare.built import check_built
from tasks.results.publish.card import card, is_card
from tasks.results.publish.facts import (
    ReleaseFacts,
    SuiteFacts,
    build_commits,
    code_hash,
    release_source,
    splits_of,
    suite_facts,
)
from tasks.results.publish.rows import READ, write_cases, write_filings
from tasks.suites.registry import SUITES
from tasks.warehouse.connection import open_warehouse

# `datasets` and the hub read the card from this file.
_CARD = "README.md"


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
    built = {
        release: suites
        for release in dict.fromkeys(releases)
        or [name for name in lake.releases() if not may_change(name)]
        if (suites := _built_suites(lake, release)) or release in releases
    }
    for release, suites in built.items():
        if not suites:
            raise LakeError(
                f"release {release} in {lake.url} has no cases; `tenkbench build"
                f"{place_options(lake=lake.url, release=release)}` makes them"
            )
        for suite in suites:
            check_built(lake, release, suite)
    if not built:
        raise LakeError(
            f"no frozen release in {lake.url} has cases; name one with --release (dev and names "
            "that end in -dev may change, so they are published only by name)"
        )
    splits = splits_of(list(built))
    try:
        _check_folder(folder)
        facts = [_write_split(lake, *each, built[each[0]], folder) for each in splits.items()]
        with replaced(folder / _CARD) as half_written:
            half_written.write_text(card(facts, version("tenkbench")), encoding="utf-8")
    except OSError as error:
        raise LakeError(f"cannot write {folder}: {error.strerror}") from error
    return facts


def _built_suites(lake: Lake, release: str) -> list[str]:
    return [
        suite
        for suite in SUITES
        if any(commit.n_rows("qa_pairs") for commit in build_commits(lake, release, suite))
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
    of_samples = is_of_samples(lake, release)
    facts: list[SuiteFacts] = []
    filings_file = f"filings/{split}.parquet"
    with open_warehouse(lake.files(release), asked=READ) as warehouse:
        for suite in suites:
            file = f"{suite}/{split}.parquet"
            n_cases = write_cases(warehouse, folder / file, suite, is_of_samples=of_samples)
            facts.append(suite_facts(lake, release, suite, n_cases=n_cases, file=file))
        n_filings = write_filings(warehouse, folder / filings_file, is_of_samples=of_samples)
    return ReleaseFacts(
        release=release,
        split=split,
        n_filings=n_filings,
        files=(*(suite.file for suite in facts), filings_file),
        source=release_source(lake, release),
        is_of_samples=of_samples,
        code=code_hash(lake, release),
        sha256=_sha256([folder / file for file in (*(f.file for f in facts), filings_file)]),
        suites=tuple(facts),
    )


def _sha256(files: Sequence[Path]) -> str:
    """Hash the concatenated files."""
    found = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()
