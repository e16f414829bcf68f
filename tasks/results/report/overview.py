"""The overview: one page on all scored releases of a lake, models by suites."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter, itemgetter
from shlex import quote
from typing import Any

from markupsafe import Markup

from tasks.lake.lake import Lake, may_change
from tasks.pipeline.settings import place_options
from tasks.results.compare.changes import of_all
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.messages import text_of
from tasks.results.report.page import policy_of, templates
from tasks.results.report.provenance import judges_of
from tasks.suites.registry import SUITES, load_suite
from tasks.text.shares import interval

_SCORED = """
from reports.leaderboard
order by list_position($order::varchar[][], [release, suite, judge]), value desc nulls last, model
"""


def scored(lake: Lake) -> list[tuple[str, str]]:
    """List every scored release and suite of a lake, the one that was scored last first."""
    commits = sorted(lake.commits(None), key=attrgetter("committed_at"), reverse=True)
    made = [(commit.step.release, commit.step.name) for commit in commits]
    names = dict.fromkeys(release for release, step in made if step.endswith(".score"))
    return [(name, suite) for name in names for suite in SUITES if (name, f"{suite}.score") in made]


def overview(lake: Lake, address: Callable[[str, str], str | None]) -> str:
    """Write the overview as HTML; models are in the order of the first suite's leaderboard.

    `address` returns where the page of a release's suite is, or None.
    """
    lake = lake.as_of_now()
    order = [
        (release, suite, judge)
        for release, suite in scored(lake)
        for judge in judges_of(lake.commits(release), suite)
    ]
    with opened_warehouse(lake, None, _SCORED) as warehouse:
        rows = rows_of(warehouse, _SCORED, {"order": order})
    earlier: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in sorted(rows, key=itemgetter("release")):  # quarters in their order
        place = tuple(row[name] for name in ("suite", "judge", "model", "metric"))
        row["before"] = None
        if not may_change(row["release"]):  # those are trials, of whatever filings
            row["before"] = earlier.get(place)
            earlier[place] = row
        if row["before"]:
            now = {f"other_{name}": figure for name, figure in row.items()}
            row["p"] = of_all(row["before"] | now)["p"]
        row["command"] = f"tenkbench run{place_options(lake=lake.url, release=row['release'])}"
    template = templates().get_template("overview.html.jinja")
    script = Markup(text_of("overview.js"))
    return template.render(
        rows=rows,
        suites=[load_suite(name) for name in SUITES],
        address=address,
        place=place_options(lake=lake.url),
        interval=interval,
        quote=quote,
        style=Markup(text_of("page.css")),
        script=script,
        policy=policy_of([script]),
    )
