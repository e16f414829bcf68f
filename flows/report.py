"""Report of a release as HTML: a file for each suite, and the overview."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tasks.core.files import replaced
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.sources import is_of_samples
from tasks.results.opened import check_there, opened_warehouse
from tasks.results.report.measured import NothingMeasured
from tasks.results.report.overview import overview, scored
from tasks.results.report.page import page
from tasks.results.report.provenance import provenance
from tasks.suites.registry import load_suite
from tasks.warehouse.sql_files import checks_of

INDEX = "index.html"  # the overview's file


def report_of(
    lake: Lake,
    release: str,
    suite: str,
    judge: str | None = None,
    *,
    as_json: bool = False,
    index: str | None = None,
) -> tuple[bytes, str]:
    """Make the report of a release; return it and the judge whose figures it shows.

    Args:
        judge: judge whose figures to show; if None, the first that the newest run named.
        index: address of the overview that the page is part of.

    Raises:
        LakeError: the release does not exist.
        NothingMeasured: the release has no metrics of the suite.
        RunFailed: judgements have changed since the release was scored.
        UnknownSuite: no suite has this name.
        WrongUsage: no judge of this name has rated answers.
    """
    parts = load_suite(suite)
    check_there(lake, release)
    of_samples = is_of_samples(lake, release)
    sources = provenance(
        lake.commits(release), suite, judge, is_of_samples=of_samples, lake=lake.url
    )
    with opened_warehouse(lake, release) as warehouse:
        n_checks = len(checks_of(suite))
        content = page(
            *(warehouse, sources, parts, release), n_checks=n_checks, as_json=as_json, index=index
        )
    return content.encode(), sources.judges[0]


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
    is_json = target.suffix.lower() == ".json"
    report, shown_judge = report_of(Lake(lake).as_of_now(), release, suite, judge, as_json=is_json)
    _write(target, report)
    size = f"{len(report) / 1e6:.1f} MB"
    lines = [f"{target}: {size}; suite {suite}, release {release}, judge {shown_judge}."]
    return lines if is_json else [*lines, _opened_by(target)]


def write_reports(lake: str, release: str, suites: Sequence[str], folder: Path) -> list[str]:
    """Write a page for each scored suite and the overview of the lake; return lines to print.

    Raises:
        LakeError: a file cannot be written; see also `report_of`.
        NothingMeasured: none of the suites is scored.
    """
    opened = Lake(lake).as_of_now()
    there = {(release, suite): f"report-{suite}.html" for suite in suites}
    pages = {of: name for of, name in there.items() if of in scored(opened)}
    if not pages:
        raise NothingMeasured(release, ",".join(suites), lake)
    folder.mkdir(parents=True, exist_ok=True)
    for (_, suite), name in pages.items():
        _write(folder / name, report_of(opened, release, suite, index=INDEX)[0])
    _write(folder / INDEX, overview(opened, lambda *of: pages.get(of)).encode())
    lines = [f"{folder / name}" for name in pages.values()]
    lines += [f"{suite}: not scored" for _, suite in there.keys() - pages.keys()]
    return [*lines, _opened_by(folder / INDEX)]


def _write(target: Path, content: bytes) -> None:
    try:
        with replaced(target) as half_written:
            half_written.write_bytes(content)
    except OSError as error:
        raise LakeError(f"Cannot write '{target}': {error.strerror}.") from error


def _opened_by(target: Path) -> str:
    return f"Open it in a browser: {target.resolve().as_uri()}"
