"""The page: one HTML file that runs only its own scripts.

It loads nothing.

Model output reaches the page in two ways only: as text that the template escapes, and as packed
data that the scripts insert as text. The content policy allows only our scripts and style, by hash.

`measured`, `trial` and `cases` query the warehouse, `provenance` reads the lake's commits. `charts`
and `scatter` specify figures, `drawing` draws them with Vega-Lite, and `labels` places names.
`verdict` writes the conclusions that the tests support. `contents` fills the sections, and `assets`
holds scripts and style. `page` renders the templates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tasks.results.explain.explain import count_shown
from tasks.results.report import charts, contents
from tasks.results.report.assets import content_policy, file_text, scripts
from tasks.results.report.cases import Blocks, case_blocks
from tasks.results.report.measured import Measured, measure
from tasks.results.report.provenance import Provenance
from tasks.results.report.suite_tables import suite_tables
from tasks.results.report.trial import Table, trial_tables
from tasks.results.report.verdict import verdict
from tasks.results.report.words import listed
from tasks.text.shares import share, signed_share
from tasks.text.visible import visible
from tasks.warehouse.sql_files import report_of

if TYPE_CHECKING:
    import duckdb

    from tasks.suites.suite import Suite


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
        warehouse: of that release, with the beta of its sources if they have one.
        sources: what made the release.
        n_checks: the number of checks that a release must pass before it is scored.

    Raises:
        NothingMeasured: the release has no metrics of the suite.
    """
    measured = measure(
        warehouse,
        suite=suite.name,
        release=release,
        judges=sources.judges,
        beta=sources.beta,
        answer_operations=[operation.name for operation in suite.answers],
    )
    blocks = case_blocks(warehouse, measured)
    trial = trial_tables(warehouse, suite.name, release, measured.rule_judges)
    details = suite_tables(warehouse, measured)
    tell = measured.page.note
    has_baseline = any(model.is_baseline for model in measured.models)
    note = tell(*count_shown(warehouse, suite.name, release)) if tell and has_baseline else ""
    remarks = (
        []
        if suite.page.remarks is None
        else _remarks(warehouse, report_of(suite.name, suite.page.remarks), release)
    )
    return _render(measured, suite.title, sources, blocks, details, trial, note, remarks, n_checks)


def _remarks(warehouse: duckdb.DuckDBPyConnection, relation: str, release: str) -> list[str]:
    found = warehouse.execute(
        f"select says from {relation} where release = $release", {"release": release}
    ).fetchall()
    return [says for (says,) in found]


def _render(
    measured: Measured,
    title: str,
    sources: Provenance,
    blocks: Blocks,
    details: Sequence[Table],
    trial: Sequence[Table],
    note: str,
    remarks: Sequence[str],
    n_checks: int,
) -> str:
    page_scripts = scripts()
    style = file_text("page.css")
    environment = Environment(
        loader=PackageLoader("tasks.results.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_visible,
    )
    filters: dict[str, Callable[..., str]] = {
        "share": _share,
        "change": _change,
        "count": lambda n: f"{n:,}",
        "probability": _probability,
        "moment": _moment,
        "listed": listed,
    }
    environment.filters |= filters
    comparisons = contents.pairs(measured)
    figures = contents.figures(measured)
    lead = verdict(measured)
    notes = [*remarks]
    if note and measured.models[0].is_baseline:  # the note qualifies a baseline's lead
        lead.insert(1, note)
    elif note:
        notes.insert(0, note)
    shown = contents.shown_sections(figures, comparisons, details, bool(trial or measured.unscored))
    return environment.get_template("page.html.jinja").render(
        measured=measured,
        judging=measured.page.judging,
        notes=notes,
        suite_title=title,
        policy=content_policy(page_scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in page_scripts],
        blocks=blocks,
        sections=[(id_, title) for id_, title in contents.SECTIONS if id_ in shown],
        verdict=lead,
        baselines=[model.name for model in measured.models if model.is_baseline],
        metrics=[
            {
                "key": metric,
                "name": measured.page.metric_name(metric),
                "meaning": measured.page.metrics[metric].meaning
                if metric in measured.page.metrics
                else "",
            }
            for metric in measured.shown_metrics
            if any(measured.of(model.name, metric) for model in measured.models)
        ],
        headline_name=measured.page.metric_name(measured.headline),
        left_out={model.name: contents.left_out(measured, model) for model in measured.models},
        by_judge=contents.by_judge(measured),
        rejected=contents.rejected_table(measured),
        perturbations=[
            (words.name, words.meaning)
            for name, words in measured.page.variants.items()
            if f"variant={name}" in {key[2] for key in measured.estimates}
        ],
        figures=figures,
        changes=contents.changes(measured),
        pairs=comparisons,
        pairs_span=max((abs(end) for row in comparisons for end in row.ends), default=1.0),
        verbs=contents.verbs(measured),
        n_of=contents.numbers_behind(measured),
        n_unscored=sum(row.n for row in measured.unscored if row.judge == measured.judge),
        n_unscored_headline=sum(
            cell.n_unscored
            for model in measured.models
            if (cell := measured.of(model.name, measured.headline))
        ),
        n_left_out=len(measured.models) - len(charts.columns_of(measured)),
        details=details,
        trial=trial,
        unscored=contents.unscored_table(measured),
        provenance=sources,
        n_checks=n_checks,
    )


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)


def _change(value: float) -> str:
    return signed_share(value, minus="−")


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _moment(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
