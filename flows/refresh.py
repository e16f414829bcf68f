"""Flow: a quarter's new filings -> a frozen release of cases."""

from __future__ import annotations

from typing import Any

from prefect import flow, get_run_logger
from prefect.runtime import flow_run
from prefect.states import Completed, State

from flows.artifacts import tagged
from flows.build import build
from flows.ingest import ingest
from flows.parameters import Refresh
from tasks.core.progress import tell
from tasks.filings.edgar.acquire import NoFilings
from tasks.filings.edgar.index import quarter_before
from tasks.ingest import NothingNew
from tasks.lake.lake import Lake
from tasks.pipeline.clients import running
from tasks.pipeline.incremental import reasons_left_out
from tasks.pipeline.plan import check_settings
from tasks.pipeline.settings import RefreshSettings
from tasks.results.compare.quarters import refreshed

_DEFAULTS = RefreshSettings()


def _quarter(given: dict[str, Any]) -> str:
    # of the scheduled time: a worker may have been offline for weeks
    return given.get("quarter") or quarter_before(flow_run.scheduled_start_time.date())


def _run_name() -> str:
    return f"refresh {_quarter(flow_run.parameters)}"


@flow(name="refresh", flow_run_name=_run_name)
def refresh(quarter: str | None = None, run: Refresh = _DEFAULTS) -> State[None] | None:
    """Make a release of one quarter's filings that no earlier release has.

    The release is named after the quarter and frozen once built; `evaluation` adds models to it.
    If there are no new filings, no release is made.

    Args:
        quarter: Such as 2026Q3; the last one that ended by the scheduled day if omitted.
        run: How to read and build; the quarter sets release and filings unless they are named.
    """
    today = flow_run.scheduled_start_time.date()
    settings = refreshed(run, _quarter({"quarter": quarter}), today)
    check_settings(settings)
    with tagged(settings), running(settings):
        try:
            ingest(settings)
        except (NothingNew, NoFilings) as nothing:
            said = f"Release {settings.release} was not made: {nothing}"
            tell(said)
            return Completed(name="Nothing new", message=said)
        build(settings)
    for reason, n in reasons_left_out(Lake(settings.lake), settings.release).most_common():
        get_run_logger().info("left out %s filings: %s", f"{n:,}", reason)
    return None
