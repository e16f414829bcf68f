"""Report of a release as one HTML file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.plan import is_of_samples
from tasks.pipeline.settings import RunSettings
from tasks.results.report.page import page
from tasks.results.report.provenance import provenance
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import sql_files
from tasks.warehouse.training_cutoffs import lake_cutoffs


@dataclass(frozen=True, slots=True)
class Report:
    """An HTML page, and the judge whose figures it shows."""

    html: bytes
    judge: str


def report_of(lake: Lake, release: str, suite: str, judge: str | None = None) -> Report:
    """Make the report of a release.

    Args:
        judge: judge whose figures to show; the first to finish if None.

    Raises:
        LakeError: the release does not exist.
        NothingMeasured: the release has no metrics of the suite.
        MetricsOutOfDate: judgements have changed since the release was scored.
        UnknownSuite: no suite has this name.
        UnknownJudge: no judge of this name has rated answers.
    """
    parts = load_suite(suite)
    commits = lake.commits(release)
    if not commits:
        others = lake.releases()
        mend = (
            f"Choose one of: {', '.join(others)}"
            if others
            else f"Make one:\n    tenkbench run --lake {lake.url}"
        )
        raise LakeError(f"No release '{release}' in '{lake.url}'. {mend}")
    of_samples = is_of_samples(lake, RunSettings(lake=lake.url, release=release))
    sources = provenance(commits, suite, judge, is_of_samples=of_samples)
    with open_warehouse(
        lake.files(release),
        journal=cache_of(lake.url),
        needs_journal=False,
        parameters=sources.parameters,
        cutoffs=lake_cutoffs(lake, release),
    ) as warehouse:
        html = page(
            warehouse, sources, parts, release, n_checks=sum(file.is_check for file in sql_files())
        )
    return Report(html.encode(), sources.judges[0])


def write_report(
    lake: str, release: str, suite: str, target: Path, judge: str | None = None
) -> list[str]:
    """Write the report to a file atomically; return the lines to print.

    Raises:
        LakeError: the file cannot be written; see also `report_of`.
    """
    load_suite(suite)
    if target.is_dir() or not target.parent.is_dir():
        raise LakeError(f"Cannot write '{target}'. Name a file in an existing folder.")
    report = report_of(Lake(lake).as_of_now(), release, suite, judge)
    _replace(target, report.html)
    return [
        f"{target}: {len(report.html) / 1e6:.1f} MB; "
        f"suite {suite}, release {release}, judge {report.judge}.",
        f"Open it in a browser: {target.resolve().as_uri()}",
    ]


def _replace(target: Path, content: bytes) -> None:
    half_written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        half_written.write_bytes(content)
        os.replace(half_written, target)
    except OSError as error:
        raise LakeError(f"Cannot write '{target}': {error.strerror}.") from error
    finally:
        half_written.unlink(missing_ok=True)
