"""Commands that make a quarter's release and compare two releases."""

from __future__ import annotations

from datetime import UTC, datetime

from flows.cli.options import DEFAULTS, AsJson, LakeUrl, OneSuite, Settings, suite_of
from flows.cli.presets import Preset
from flows.cli.run import start
from flows.cli.views.console import print_note
from tasks.pipeline.settings import WrongSettings


def refresh(
    quarter: str | None = None, /, settings: Settings = DEFAULTS, *, preset: Preset = None
) -> None:
    """Build and freeze a release of a quarter's new filings on EDGAR.

    A filing is new if no frozen release has it; for trials, use `trial-dev` or another lake.

    Args:
        quarter: Quarter and name of the release, such as 2026Q3; the last complete one if omitted.
    """
    from tasks.filings.edgar.index import quarter_before
    from tasks.lake.lake import Lake
    from tasks.pipeline.plan import is_built
    from tasks.pipeline.resolved import each_suite
    from tasks.pipeline.sources import reasons_left_out
    from tasks.results.compare.quarters import refreshed

    today = datetime.now(UTC).date()
    quarter = quarter or quarter_before(today)
    run = refreshed(settings, quarter, today)
    lake = Lake(run.lake)
    if all(is_built(lake, one) for one in each_suite(run)):
        print_note(f"Nothing to do: release {run.release} in {lake.url} is already built.")
    else:
        start("refresh", run, quarter=quarter)
    for reason, n in reasons_left_out(lake, run.release).most_common():
        print_note(f"Left out {n:,}: {reason}")


def diff(
    release: str,
    other_release: str,
    /,
    *,
    suite: OneSuite = None,
    lake: LakeUrl = DEFAULTS.lake,
    json: AsJson = False,
) -> None:
    """Compare two releases: filings, cases, how they were made, and scores.

    Each change of a score is tested against noise. JSON has every kind of row, step and slice.

    Args:
        release: Earlier release.
        other_release: Later release.
    """
    from flows.cli.views.release_diff import show_diff

    if release == other_release:
        raise WrongSettings(f"Cannot compare release '{release}' with itself. Name two releases.")
    suite = suite or suite_of(lake, other_release)
    show_diff(lake, (release, other_release), suite, as_json=json)
