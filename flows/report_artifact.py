"""Report of a deployed run, kept in the lake and linked, and events for its alerts.

It is apart from the other artifacts because its plotting imports would slow down every command.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from prefect import get_run_logger
from prefect.artifacts import create_markdown_artifact
from prefect.events import emit_event

from deployments.wanted import FAILED_TRIAL, REPORTS_LAKE, REPORTS_URL
from flows.report import report_of
from flows.story import failed_trials
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import ResolvedRun
from tasks.results.report.measured import NothingMeasured


def publish_report(run: ResolvedRun) -> None:
    """Keep and link the report, and emit which judges failed."""
    lake, release, suite = run.lake, run.settings.release, run.suite.name
    log = get_run_logger()
    key = f"_reports/{release}/{suite}.html"
    for judge, is_rules, sentence in failed_trials(run):
        if is_rules:  # what rules fail in is known
            continue
        emit_event(
            FAILED_TRIAL,
            resource={
                "prefect.resource.id": f"tenkbench.judge.{judge}",
                "prefect.resource.name": judge,
            },
            payload={"release": release, "suite": suite, "sentence": sentence},
        )
    heading = f"# {suite}, release {release}\n\n"
    try:
        page, _ = report_of(lake, release, suite, run.judges[0].name)
        lake.objects.put(key, page)
    except NothingMeasured as nothing:
        text = f"No report: {nothing}"
        log.info(text)
    else:
        about = "leaderboard, plots, and each case down to the sentence of its filing"
        where = _address(lake, key)
        text = f"[Open the report]({where}): {about}." if where else f"The report: {about}."
        log.info(f"The report is at {where or f'{lake.url}/{key}'}")
        text += f"\n\nThe lake keeps it: `{lake.url}/{key}`"
    create_markdown_artifact(
        markdown=heading + text,
        key=artifact_key(release, suite, "report"),
        description=f"The report of {suite}, release {release}",
    )


def artifact_key(*parts: str) -> str:
    """Join parts into a valid Prefect key: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def _address(lake: Lake, key: str) -> str | None:
    """Return the URL of a page of the lake, or None if it is not served."""
    url, served = os.environ.get(REPORTS_URL), os.environ.get(REPORTS_LAKE)
    if not url or not served or lake.url != Lake(served).url:
        return None
    return f"{url.rstrip('/')}/{quote(key.removeprefix('_reports/'))}"
