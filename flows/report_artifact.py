"""What a deployed run shows: its report, kept in the lake and linked, its leaderboard and cost.

It is apart from the other artifacts because its plotting imports would slow down every command.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from prefect import get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.events import emit_event

from deployments.wanted import FAILED_TRIAL, MOVED, REPORTS_LAKE, REPORTS_URL
from flows.report import INDEX, report_of
from flows.story import failed_trials, moves
from tasks.core.errors import RunFailed
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import ResolvedRun
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.overview import overview, scored

_INDEX = f"_reports/{INDEX}"
_TABLES = {
    "leaderboard": "from reports.leaderboard where suite = $suite",
    "cost": "from reports.spending",
}


def publish_report(run: ResolvedRun) -> None:
    """Keep and link the report, show leaderboard and cost, emit failed judges and moved models."""
    lake, release, suite = run.lake.as_of_now(), run.settings.release, run.suite.name
    trials = [(FAILED_TRIAL, *of) for of in failed_trials(run) if not of[1]]  # of rules it is known
    for event, name, _, sentence in [*trials, *((MOVED, *of) for of in moves(run) if of[1])]:
        emit_event(
            event,
            resource={
                "prefect.resource.id": f"{event.rpartition('.')[0]}.{name}",
                "prefect.resource.name": name,
            },
            payload={"release": release, "suite": suite, "sentence": sentence},
        )
    with opened_warehouse(lake, release, "; ".join(_TABLES.values())) as warehouse:
        for name, query in _TABLES.items():
            create_table_artifact(
                table=rows_of(warehouse, query, {"suite": suite} if "$" in query else {}),
                key=artifact_key(release, suite, name),
                description=f"The {name} of {suite}, release {release}",
            )
    _keep_pages(lake, run)
    key = _key(release, suite)
    where = _address(lake, key) or f"`{lake.url}/{key}`"
    get_run_logger().info(f"The report is at {where}")
    create_markdown_artifact(
        markdown=f"# {suite}, release {release}\n\nThe report, which the lake keeps: {where}\n\n"
        f"All releases: {_address(lake, _INDEX) or f'`{lake.url}/{_INDEX}`'}",
        key=artifact_key(release, suite, "report"),
        description=f"The report of {suite}, release {release}",
    )


def _keep_pages(lake: Lake, run: ResolvedRun) -> None:
    """Keep the page of this run, of every scored release without one, and the overview."""
    ours, kept = (run.settings.release, run.suite.name), set()
    for release, suite in scored(lake):
        key = _key(release, suite)
        try:
            if (release, suite) == ours or not lake.objects.exists(key):
                judge = run.judges[0].name if (release, suite) == ours else None
                page, _ = report_of(lake, release, suite, judge, index=f"../{INDEX}")
                lake.objects.put(key, page)
            kept.add((release, suite))
        except RunFailed as failed:
            if (release, suite) == ours:
                raise
            get_run_logger().warning(f"No page of {suite}, release {release}: {failed}")
    of_all = overview(lake, lambda *of: f"{of[0]}/{of[1]}.html" if of in kept else None)
    lake.objects.put(_INDEX, of_all.encode())


def _key(release: str, suite: str) -> str:
    return f"_reports/{release}/{suite}.html"


def artifact_key(*parts: str) -> str:
    """Join parts into a valid Prefect key: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def _address(lake: Lake, key: str) -> str | None:
    """Return the URL of a page of the lake, or None if it is not served."""
    url, served = os.environ.get(REPORTS_URL), os.environ.get(REPORTS_LAKE)
    if not url or not served or lake.url != Lake(served).url:
        return None
    return f"{url.rstrip('/')}/{quote(key.removeprefix('_reports/'))}"
