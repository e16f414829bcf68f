"""The sections of the page, from the measured values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from tasks.results.report import charts
from tasks.results.report.measured import Comparison, Measured
from tasks.results.report.messages import say
from tasks.results.report.panels import Panel, distribution, dots, heatmaps, model_label
from tasks.results.report.tables import (
    REJECTED,
    Table,
    by_judge,
    judge_tables,
    price_table,
    shown_table,
)
from tasks.suites.page import Distribution, Dots, Heatmap, Scatter, Shown
from tasks.warehouse.sql_files import report_of

# The sections of every suite's page in order; each has a template in `sections/`.
SECTIONS = ("leaderboard", "slices", "pairs", "prices", "questions", "judge", "cases", "provenance")


@dataclass(frozen=True, slots=True)
class Part:
    """A chart or tables of a section, with their texts.

    Attributes:
        judge: of the values, if not the page's.
        panels: tables of figures, by what they are of.
    """

    title: str = ""
    text: str = ""
    figure: Markup | None = None
    caption: str = ""
    judge: str = ""
    table: Table | None = None
    panels: Sequence[tuple[str, Sequence[Panel]]] = ()


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of the page.

    Attributes:
        id: its address on the page.
        name: in the page's contents.
        text: of a suite's own section; templates have those of others.
    """

    id: str
    name: str
    title: str
    parts: Sequence[Part]
    text: str = ""


def sections(measured: Measured) -> list[PageSection]:
    """Fill the sections in the page's order; those without data are left out."""
    parts = {
        "leaderboard": _table_parts(by_judge(measured)),
        "slices": slice_parts(measured),
        "prices": [replace(part, title="") for part in _table_parts(price_table(measured))],
        "questions": _table_parts(shown_table(measured, REJECTED)),
        "judge": _table_parts(*judge_tables(measured)),
    }
    is_empty = {name for name in ("slices", "prices", "judge") if not parts[name]}
    if not measured.comparisons:
        is_empty.add("pairs")
    found: list[PageSection] = []
    for id_ in SECTIONS:
        if id_ not in is_empty:
            name, title = (say(f"{id_}.{text}") for text in ("name", "title"))
            n, of = measured.n_shown
            if id_ == "cases" and n < of:
                title = say("cases.some")
            found.append(PageSection(id_, name, title, parts.get(id_, [])))
        found += _own_sections(measured, after=id_)
    return found


# --- sections of a suite -----------------------------------------------------------------


def _own_sections(measured: Measured, after: str) -> Iterator[PageSection]:
    """Fill the suite's own sections; those without data are left out."""
    for section in measured.page.sections:
        drawn = [_part(measured, shown) for shown in section.shows if section.after == after]
        parts = [part for part in drawn if part is not None]
        if len(parts) == 1:  # it needs no title beside the section's
            parts = [replace(parts[0], title="")]
        if parts:
            text = section.text.format(**measured.parameters)
            title = section.title.format(**measured.parameters)
            yield PageSection(section.id, section.name, title, parts, text)


def _part(measured: Measured, shown: Shown) -> Part | None:
    page = measured.page
    match shown:
        case Dots():
            return _dots(measured, shown)
        case Scatter():
            return _scatter(measured, shown)
        case Distribution():
            panels = distribution(measured, shown)
            words = {"unit": shown.unit, "done": page.judging.done}
            return (
                Part(shown.title, caption=say("panels.shares", **words), panels=[("", panels)])
                if panels
                else None
            )
        case Heatmap():
            label = page.label(shown.metric)
            caption = say("panels.heatmap", unit=label.unit, metric=label.name)
            if shown.below is not None:
                caption += say("panels.below", below=page.metric_name(shown.below))
            groups = heatmaps(measured, shown)
            judge = measured.judge_of.get(shown.metric, "")
            return (
                Part(shown.title, caption=caption, judge=judge, panels=groups) if groups else None
            )
    return next(iter(_table_parts(shown_table(measured, shown))), None)


def _dots(measured: Measured, shown: Dots) -> Part | None:
    panel = dots(measured, shown)
    if panel is None:
        return None
    variants = measured.page.variants.values() if shown.dimension == "variant" else ()
    meanings = [say("panels.meaning", name=each.name, meaning=each.meaning) for each in variants]
    judge = measured.judge_of.get(shown.metrics[0], "")
    return Part(shown.title, caption=" ".join(meanings), judge=judge, panels=[("", [panel])])


def _scatter(measured: Measured, shown: Scatter) -> Part | None:
    page, cells = measured.page, {model.name: cell for model, cell in measured.cells(shown.y)}
    points = []
    for model, cell in measured.cells(shown.x):
        if model.name in cells:
            place = measured.places[model.name]
            label = str(place) if place else model_label(model)
            points.append(charts.point(model, label, cell, cells[model.name]))
    if not points:
        return None
    points += [
        {"origin": "paper", "x": values[shown.x], "y": values[shown.y]}
        for values in measured.paper.values()
        if {shown.x, shown.y} <= values.keys()
    ]
    curves = measured.rows(report_of(measured.suite.name, shown.curves)) if shown.curves else []
    return Part(
        title=shown.title,
        figure=charts.scatter(
            say("charts.points", title=shown.title),
            points,
            (page.metric_name(shown.x), page.metric_name(shown.y)),
            curves=[
                {"level": row["level"], "x": row[shown.x], "y": row[shown.y]} for row in curves
            ],
            y_scale=page.label(shown.y).scale,
        ),
        caption=say("charts.scatter", paper=say("charts.scatter_paper") if measured.paper else ""),
    )


# --- sections of every suite -------------------------------------------------------------


def slice_parts(measured: Measured) -> list[Part]:
    """Tabulate each dimension that divides the units of the metric for single answers."""
    page, parts = measured.page, []
    for dimension, title in page.all_dimensions.items():
        if dimension in page.of_published and not measured.is_published:
            continue
        shown = Dots(dimension=dimension, metrics=(measured.of_answers,), title=title)
        panel = dots(measured, shown)
        if panel is not None and len(panel.columns) > 1:
            parts.append(Part(title, page.values.get(dimension, ""), panels=[("", [panel])]))
    return parts


def _table_parts(*tables: Table | None) -> list[Part]:
    return [Part(table.title, table.meaning, table=table) for table in tables if table]


def pairs(measured: Measured) -> list[Comparison]:
    """Return all comparisons, the better model first, in the leaderboard's order."""
    places = {model.name: place for place, model in enumerate(measured.models)}
    return [
        row
        for metric in measured.metrics
        for row in sorted(
            measured.compared(metric), key=lambda row: (places[row.model], places[row.other_model])
        )
    ]


def widest(measured: Measured, metric: str) -> float:
    """Return the furthest end of differences in a metric, or in others with its scale.

    Where all models are alike, it is any: 1.
    """
    scale = measured.page.label(metric).scale
    found = (
        row.furthest
        for row in measured.comparisons
        if measured.page.label(row.metric).scale == scale
    )
    return max(found) or 1.0


def judged_metrics(measured: Measured) -> dict[str, list[str]]:
    """Map each judge to the names of the metrics that are shown by it."""
    found: dict[str, list[str]] = {}
    for metric, judge in measured.judge_of.items():
        found.setdefault(judge, []).append(measured.page.metric_name(metric))
    return found


def meaning(measured: Measured, metric: str) -> str:
    """Return what follows a metric's name: its meaning, options and direction."""
    label, derived = measured.page.metrics.get(metric), measured.suite.metrics.get(metric)
    text = f": {label.meaning}" if label else ""
    for option in derived.options if derived else ():
        value = measured.parameters[option]
        text += say("leaderboard.option", option=option.replace("_", " "), value=value)
    judge = measured.judge_of.get(metric, measured.judge)
    if judge != measured.judge:
        text += say("leaderboard.by", judge=judge)
    return text + (say("leaderboard.lower") if measured.is_lower_better(metric) else "")
