"""Report of a deployed run, kept in the lake and linked.

It is apart from the other artifacts because its plotting imports would slow down every command.
"""

from __future__ import annotations

import os

from prefect.artifacts import create_markdown_artifact

from deployments.wanted import REPORTS_LAKE, REPORTS_URL
from flows.artifacts import artifact_key
from flows.report import report_of
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tasks.results.report.measured import NothingMeasured


def publish_report(run: RunSettings) -> None:
    """Keep the report in the lake, and link to it if possible."""
    lake = Lake(run.lake)
    key = f"_reports/{run.release}/{run.suite}.html"
    heading = f"# {run.suite}, release {run.release}\n\n"
    try:
        lake.objects.put(key, report_of(lake, run.release, run.suite).content)
    except NothingMeasured as nothing:
        text = f"No report: {nothing}"
    else:
        about = "leaderboard, plots, and each case down to the sentence of its filing"
        served = _served(lake)
        where = f"{served}/{key.removeprefix('_reports/')}"
        text = f"[Open the report]({where}): {about}." if served else f"The report: {about}."
        text += f"\n\nThe lake keeps it: `{lake.url}/{key}`"
    create_markdown_artifact(
        markdown=heading + text,
        key=artifact_key(run.release, run.suite, "report"),
        description=f"The report of {run.suite}, release {run.release}",
    )


def _served(lake: Lake) -> str | None:
    """Return the URL of the lake's reports, or None if not served."""
    url, of = os.environ.get(REPORTS_URL), os.environ.get(REPORTS_LAKE)
    return url.rstrip("/") if url and of and Lake(of).url == lake.url else None
