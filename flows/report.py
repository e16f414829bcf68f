"""The report of a release, written as one HTML file."""

from __future__ import annotations

import os
from pathlib import Path

from tasks.cutoffs import lake_cutoffs
from tasks.lake_journal import journal_file
from tasks.plan import is_of_samples
from tasks.report.page import page
from tasks.report.provenance import provenance
from tasks.settings import RunSettings
from tasks.store import Lake, LakeError
from tasks.suites import load_suite
from tasks.warehouse import open_warehouse, sql_files


def write_report(lake: str, release: str, suite: str, target: Path, judge: str | None = None) -> list[str]:
    """Write the page, whole or not at all; returns what to tell of it.

    Args:
        judge: whose figures to show; the one that finished first when not given.

    Raises:
        LakeError: there is no such release, or the file cannot be written.
        NothingMeasured: the release has no metrics of the suite.
        MetricsOutOfDate: judgements have come, gone or changed since the release was scored.
        UnknownSuite: no suite has this name.
        UnknownJudge: no judge of this name has rated.
    """
    parts = load_suite(suite)
    found = Lake(lake)
    commits = found.commits(release)
    if not commits:
        others = found.releases()
        mend = f"--release takes {', '.join(others)}" if others else "`tenkbench run` makes one"
        raise LakeError(f"no release {release} in {found.url}; {mend}")
    if target.is_dir() or not target.parent.is_dir():
        raise LakeError(f"cannot write {target}: name a file in a folder that exists")
    of_samples = is_of_samples(found, RunSettings(lake=lake, release=release))
    sources = provenance(commits, suite, judge, is_of_samples=of_samples)
    parameters = {"beta": sources.beta}
    with open_warehouse(
        found.files(release),
        journal=journal_file(lake),
        needs_journal=False,
        parameters=parameters,
        cutoffs=lake_cutoffs(found, release),
    ) as warehouse:
        html = page(warehouse, sources, parts, release, n_checks=len(sql_files(["checks"])))
    _replace(target, html.encode())
    return [
        f"{target}: {len(html.encode()) / 1e6:.1f} MB, suite {suite}, release {release}, judge {sources.judges[0]}.",
        f"Open it in a browser: {target.resolve().as_uri()}",
    ]


def _replace(target: Path, content: bytes) -> None:
    half_written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        half_written.write_bytes(content)
        os.replace(half_written, target)
    except OSError as error:
        raise LakeError(f"cannot write {target}: {error.strerror}") from error
    finally:
        half_written.unlink(missing_ok=True)
