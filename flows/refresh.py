"""Flow: a quarter's new filings -> a frozen release of cases."""

from __future__ import annotations

from datetime import UTC, date, datetime

from flows.build import build
from flows.ingest import ingest
from flows.parameters import Run
from flows.shown import followed, log_story
from tasks.core.prefect_engine import ON_PREFECT, flow
from tasks.core.progress import tell
from tasks.filings.edgar.acquire import NoFilings
from tasks.filings.edgar.index import quarter_before
from tasks.ingest import NothingNew
from tasks.pipeline.clients import opened_each
from tasks.pipeline.plan import check_runs
from tasks.pipeline.settings import RunSettings, place_options
from tasks.results.compare.quarters import refreshed

_DEFAULTS = RunSettings()


def scheduled_day() -> date:
    """Return the day for which the run was scheduled: a worker may have been offline for weeks."""
    if not ON_PREFECT:
        return datetime.now(UTC).date()
    from prefect.runtime import flow_run

    day: date = flow_run.scheduled_start_time.date()
    return day


def _run_name() -> str:
    from prefect.runtime import flow_run

    return f"refresh {flow_run.parameters.get('quarter') or quarter_before(scheduled_day())}"


@flow(name="refresh", flow_run_name=_run_name)
def refresh(quarter: str | None = None, run: Run = _DEFAULTS) -> None:
    """Make a release of one quarter's filings that no earlier release has.

    The release is named after the quarter and frozen once built; `evaluation` adds models to it.
    If there are no new filings, no release is made.

    Args:
        quarter: Such as 2026Q3; the last one that ended by the scheduled day if omitted.
        run: How to read and build; the quarter sets release and filings unless they are named.
    """
    today = scheduled_day()
    settings = refreshed(run, quarter or quarter_before(today), today)
    with followed(settings), opened_each(settings) as runs:
        check_runs(runs)
        try:
            for resolved in runs:
                ingest(resolved.settings)
        except (NothingNew, NoFilings) as nothing:
            tell(f"Release {settings.release} was not made: {nothing}")
            return
        for resolved in runs:
            build(resolved.settings)
            log_story(resolved)  # a command prints what was left out
        place = place_options(lake=settings.lake, release=settings.release, suite=settings.suite)
        tell(
            f"Release {settings.release} is frozen. Models answer it by the deployment evaluation, "
            f"or by tenkbench run{place} --model MODEL"
        )
