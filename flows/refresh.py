"""Flow: a quarter's new filings -> a release of cases, which is frozen from then on."""

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
    # by when it should have run: a worker may have been away for weeks
    return given.get("quarter") or quarter_before(flow_run.scheduled_start_time.date())


def _run_name() -> str:
    return f"refresh {_quarter(flow_run.parameters)}"


@flow(name="refresh", flow_run_name=_run_name)
def refresh(quarter: str | None = None, run: Refresh = _DEFAULTS) -> State[None] | None:
    """A release of the filings of one quarter that no earlier release has. Where there are none, no release is made.

    The release is called after the quarter, and frozen once it is built; models are added to it by `evaluation`.

    Args:
        quarter: whose filings, such as 2026Q3; the last one that was over on the scheduled day when not given.
        run: how they are read and built; its release and filings are those of the quarter unless they are named.
    """
    today = flow_run.scheduled_start_time.date()
    settings = refreshed(run, _quarter({"quarter": quarter}), today)
    check_settings(settings)
    with tagged(settings), running(settings):
        try:
            ingest(settings)
        except (NothingNew, NoFilings) as nothing:
            said = f"no release {settings.release} was made: {nothing}"
            tell(said)
            return Completed(name="Nothing new", message=said)
        build(settings)
    for reason, n in reasons_left_out(Lake(settings.lake), settings.release).most_common():
        get_run_logger().info("left out %s filings: %s", f"{n:,}", reason)
    return None
