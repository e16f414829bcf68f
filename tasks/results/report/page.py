"""The page: one HTML file that runs only its own scripts.

It loads nothing.

Model output reaches the page in two ways only: as text that the template escapes, and as packed
data that the scripts insert as text. The content policy allows only our scripts and style, by hash.

`measured` and `cases` query the warehouse, `provenance` reads the lake's commits. `charts`
specifies figures, `drawing` draws them with Vega-Lite, and `labels` places names. `tables` makes
tables of relations. `verdict` writes the conclusions that the tests support. `contents` fills the
sections, also those that only one suite has, and `assets` holds scripts and style.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tasks.results.explain.explain import count_shown
from tasks.results.report import charts, contents
from tasks.results.report.assets import content_policy, file_text, scripts
from tasks.results.report.cases import case_blocks
from tasks.results.report.judge_trials import trial_sentences
from tasks.results.report.measured import measure, rows_of
from tasks.results.report.provenance import Provenance
from tasks.results.report.tables import REJECTED, judge_tables, shown_tables
from tasks.results.report.verdict import listed, verdict
from tasks.text.shares import share, signed_share
from tasks.text.visible import visible
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb

    from tasks.suites.suite import Suite


# The page's sections in order: id, and name in its contents.
SECTIONS = {
    "leaderboard": "Leaderboard",
    "slices": "Filings",
    "pairs": "Pairs",
    "prices": "Cost",
    "questions": "Questions",
    "judge": "Judge",
    "cases": "Answers",
    "provenance": "Sources",
}


def page(
    warehouse: duckdb.DuckDBPyConnection,
    sources: Provenance,
    suite: Suite,
    release: str,
    *,
    n_checks: int,
) -> str:
    """Render the report of a suite in one release as HTML.

    Args:
        warehouse: of that release, with the parameters of its sources.
        sources: what made the release.
        n_checks: the number of checks that a release must pass before it is scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    measured = measure(
        warehouse, suite, release, judges=sources.judges, parameters=sources.parameters
    )
    words = suite.page
    baselines = [model.name for model in measured.models if model.is_baseline]
    lead = verdict(measured)
    notes = [] if words.remarks is None else _remarks(warehouse, suite, words.remarks, release)
    if words.note and baselines:
        note = words.note(*count_shown(warehouse, suite.name, release))
        # it qualifies a baseline's lead
        lead.insert(1, note) if measured.models[0].is_baseline else notes.insert(0, note)
    own = contents.own_sections(warehouse, measured)
    comparisons = contents.pairs(measured)
    parts = {
        "slices": contents.slice_parts(measured),
        "prices": contents.price_parts(measured),
        "questions": contents.table_parts(shown_tables(warehouse, measured, [REJECTED])),
        "judge": contents.table_parts(judge_tables(warehouse, measured)),
    }
    empty = {name for name in ("slices", "prices", "judge") if not parts[name]}
    if not comparisons:
        empty.add("pairs")
    named = []
    for id_, name in SECTIONS.items():
        named += [] if id_ in empty else [(id_, name)]
        named += [(each.id, each.name) for each, _ in own if each.after == id_]
    page_scripts = scripts()
    style = file_text("page.css")
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            measured=measured,
            words=words,
            judging=words.judging,
            suite=suite,
            policy=content_policy(page_scripts, style),
            style=Markup(style),
            scripts=[Markup(script) for script in page_scripts],
            blocks=case_blocks(warehouse, measured),
            sections=named,
            own=own,
            parts=parts,
            verdict=lead,
            trials=list(trial_sentences(measured.trials)),
            notes=notes,
            baselines=baselines,
            metrics={
                metric: contents.meaning(measured, metric)
                for metric in measured.shown_metrics
                if any(measured.of(model.name, metric) for model in measured.models)
            },
            headline_name=words.metric_name(measured.headline),
            left_out={model.name: contents.left_out(measured, model) for model in measured.models},
            by_judge=contents.by_judge(measured),
            spans={metric: charts.metric_span(measured, metric) for metric in measured.metrics},
            pairs=comparisons,
            pairs_span=max((abs(end) for row in comparisons for end in row.ends), default=1.0),
            n_unscored=sum(row.n for row in measured.unscored if row.judge == measured.judge),
            n_left_out=len(measured.models) - len(charts.columns_of(measured)),
            provenance=sources,
            n_checks=n_checks,
        )
    )


def _remarks(
    warehouse: duckdb.DuckDBPyConnection, suite: Suite, relation: str, release: str
) -> list[str]:
    rows = rows_of(warehouse, report_of(suite.name, relation), {"release": release})
    return [row["says"] for row in rows]


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tasks.results.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    filters: dict[str, Callable[..., str]] = {
        "share": lambda value: "–" if value is None else share(value),
        "change": lambda value: signed_share(value, minus="−"),
        "count": lambda n: f"{n:,}",
        "probability": _probability,
        "moment": lambda text: datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M"),
        "listed": listed,
    }
    environment.filters |= filters
    return environment


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
