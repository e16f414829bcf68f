"""The sections of the page, from the measured values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from tasks.results.report import charts
from tasks.results.report.measured import Measured, ShownComparison
from tasks.results.report.messages import say
from tasks.results.report.panels import (
    Panel,
    distribution,
    dots,
    heatmap_title,
    heatmaps,
    model_label,
)
from tasks.results.report.tables import (
    REJECTED,
    PageTable,
    by_judge,
    judge_tables,
    price_table,
    shown_table,
)
from tasks.suites.page import Distribution, Dots, Heatmap, Scatter, Shown

# The sections of every suite's page in order; each has a template in `sections/`.
SECTIONS = ("leaderboard", "slices", "pairs", "prices", "questions", "judge", "cases", "provenance")


@dataclass(frozen=True, slots=True)
class PagePart:
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
    table: PageTable | None = None
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
    parts: Sequence[PagePart]
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
        if id_ == "leaderboard":
            found += _own_sections(measured)
    return found


# --- sections of a suite -----------------------------------------------------------------


def _own_sections(measured: Measured) -> Iterator[PageSection]:
    """Fill the suite's own sections; those without data are left out."""
    for section in measured.page.sections:
        drawn = [_part(measured, shown) for shown in section.shows]
        parts = [part for part in drawn if part is not None]
        if len(parts) == 1:  # it needs no title beside the section's
            parts = [replace(parts[0], title="")]
        if parts:
            text = section.text.format(**measured.parameters)
            yield PageSection(section.id, section.name, section.name, parts, text)


def _part(measured: Measured, shown: Shown) -> PagePart | None:
    page = measured.page
    match shown:
        case Dots():
            return _dots(measured, shown)
        case Scatter():
            return _scatter(measured, shown)
        case Distribution():
            panels = distribution(measured, shown)
            title = shown.relation.replace("_", " ").capitalize()
            caption = say("panels.shares")
            return PagePart(title, caption=caption, panels=[("", panels)]) if panels else None
        case Heatmap():
            caption = say("panels.heatmap", metric=page.metric_name(shown.metric))
            groups = heatmaps(measured, shown)
            judge = measured.judge_of.get(shown.metric, "")
            return (
                PagePart(heatmap_title(page, shown), caption=caption, judge=judge, panels=groups)
                if groups
                else None
            )
    return next(iter(_table_parts(shown_table(measured, shown))), None)


def _dots(measured: Measured, shown: Dots) -> PagePart | None:
    panel = dots(measured, shown)
    if panel is None:
        return None
    variants = measured.page.variants.values() if shown.dimension == "variant" else ()
    meanings = [say("panels.meaning", name=each.name, meaning=each.meaning) for each in variants]
    judge = measured.judge_of.get(shown.metrics[0], "")
    return PagePart(panel.title, caption=" ".join(meanings), judge=judge, panels=[("", [panel])])


def _scatter(measured: Measured, shown: Scatter) -> PagePart | None:
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
        {"label": "", "origin": "paper", "x": values[shown.x], "y": values[shown.y]}
        for values in measured.paper.values()
        if {shown.x, shown.y} <= values.keys()
    ]
    curves = measured.own_rows(shown.curves) if shown.curves else []
    x, y = page.metric_name(shown.x), page.metric_name(shown.y)
    title = say("charts.against", metric=y, amount=x.lower())
    return PagePart(
        title=title,
        figure=charts.scatter(
            say("charts.points", title=title),
            points,
            (x, y),
            curves=[
                {"level": row["level"], "x": row[shown.x], "y": row[shown.y]} for row in curves
            ],
        ),
        caption=say("charts.scatter", paper=say("charts.scatter_paper") if measured.paper else ""),
    )


# --- sections of every suite -------------------------------------------------------------


def slice_parts(measured: Measured) -> list[PagePart]:
    """Tabulate each dimension that divides the units of the metric for single answers."""
    page, parts = measured.page, []
    for dimension, label in page.all_dimensions.items():
        panel = dots(measured, Dots(dimension=dimension, metrics=(measured.of_answers,)))
        if panel is not None and len(panel.columns) > 1:
            parts.append(PagePart(label.name, label.meaning, panels=[("", [panel])]))
    return parts


def _table_parts(*tables: PageTable | None) -> list[PagePart]:
    return [
        PagePart(table.title, "" if table.columns else table.meaning, table=table)
        for table in tables
        if table
    ]


def pairs(measured: Measured) -> list[ShownComparison]:
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
    """Return the furthest end of differences in a metric; where all models are alike, 1."""
    return max(row.furthest for row in measured.comparisons if row.metric == metric) or 1.0


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
