"""Commands about releases: what changed between two, and one of a quarter's new filings."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Literal

from flows.cli.options import DEFAULTS, REFRESH_DEFAULTS, AsJson, Refresh
from flows.cli.presets import Preset
from flows.cli.run import start
from tasks.pipeline.settings import WrongSettings

# Those of `tasks.results.compare.changes.COMPARED_TABLES`, which a command line's help cannot wait for.
Table = Literal["filings", "documents", "contexts", "qa_pairs", "cases", "rejects"]


def refresh(
    quarter: str | None = None, /, settings: Refresh = REFRESH_DEFAULTS, *, preset: Preset = None
) -> None:
    """Make the release of a quarter: EDGAR's filings of it that no earlier release has, built and frozen.

    Every frozen release of the lake is an earlier one, whatever its name: try things out in `trial-dev`, say, or in
    another lake.

    Args:
        quarter: such as 2026Q3, which is then the release's name, too; the last one that is over when not given.
    """
    from tasks.filings.edgar.index import quarter_before
    from tasks.lake.lake import Lake
    from tasks.pipeline.incremental import reasons_left_out
    from tasks.pipeline.plan import is_built
    from tasks.results.compare.quarters import refreshed

    today = datetime.now(UTC).date()
    quarter = quarter or quarter_before(today)
    run = refreshed(settings, quarter, today)
    lake = Lake(run.lake)
    if is_built(lake, run):
        print(f"Nothing to do: release {run.release} in {lake.url} is built.", file=sys.stderr)
    else:
        start("refresh", run, quarter=quarter)
    for reason, n in reasons_left_out(lake, run.release).most_common():
        print(f"Left out, {reason}: {n:,}", file=sys.stderr)


def diff(
    release: str,
    other_release: str,
    /,
    *,
    table: Table | None = None,
    limit: int = 20,
    all: bool = False,
    suite: str = DEFAULTS.suite,
    lake: str = DEFAULTS.lake,
    json: AsJson = False,
) -> None:
    """What changed between two releases: filings, cases, how they were made, and scores, each with whether it is noise.

    Args:
        release: the earlier release.
        other_release: the later one.
        table: list this table's rows that the two do not have alike, in place of the counts.
        limit: of a table, list so many rows.
        all: of a table, list every row; else show every kind of row and every slice of the scores.
        suite: benchmark whose cases and scores are compared.
        lake: folder of the lake, or s3://bucket/prefix.
    """
    from flows.cli.views.release_diff import Place, show_diff, show_table

    if release == other_release:
        raise WrongSettings(f"{release} cannot be held against itself; name two releases")
    if limit < 1:
        raise WrongSettings("--limit must be at least 1")
    place = Place(lake=lake, release=release, other_release=other_release, suite=suite)
    if table is None:
        show_diff(place, is_whole=all, as_json=json)
    else:
        show_table(place, table, None if all else limit, as_json=json)
