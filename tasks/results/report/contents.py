"""The sections of the page, from the measured values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tasks.results.report import charts
from tasks.results.report.heatmaps import Panel, heatmap_title, heatmaps, known
from tasks.results.report.measured import Candidate, Comparison, Estimate, Measured
from tasks.results.report.messages import listed, say
from tasks.results.report.tables import (
    REJECTED,
    Table,
    by_judge,
    judge_tables,
    judged_rows,
    judges_tried,
    shown_table,
)
from tasks.suites.page import Distribution, Dots, Heatmap, Scatter, Shown
from tasks.text.visible import visible
from tasks.warehouse.sql_files import report_of

# The sections of every suite's page in order; each has a template in `sections/`.
SECTIONS = ("leaderboard", "slices", "pairs", "prices", "questions", "judge", "cases", "provenance")


@dataclass(frozen=True, slots=True)
class Part:
    """A chart or a table of a section, with its texts.

    Attributes:
        basis: numbers of units behind the values, such as `4 to 17 answers per dot`.
        judge: of the values, if not the page's.
    """

    title: str = ""
    text: str = ""
    figure: charts.Figure | None = None
    caption: str = ""
    basis: str = ""
    judge: str = ""
    table: Table | None = None
    heatmaps: Sequence[tuple[str, Sequence[Panel]]] = ()


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
        "leaderboard": _table_parts(by_judge(measured), judges_tried(measured)),
        "slices": slice_parts(measured),
        "prices": price_parts(measured),
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
        drawn = [_drawn(measured, shown) for shown in section.shows]
        parts = [part for part in drawn if part is not None]
        if len(parts) == 1:  # it needs no title beside the section's
            parts = [replace(parts[0], title="")]
        if parts:
            text = section.text.format(**measured.parameters)
            yield PageSection(section.id, section.name, section.name, parts, text)


def _drawn(measured: Measured, shown: Shown) -> Part | None:
    match shown:
        case Dots():
            return _dots(measured, shown)
        case Scatter():
            return _scatter(measured, shown)
        case Distribution():
            return _distribution(measured, shown)
        case Heatmap():
            return _heatmap(measured, shown)
    return next(iter(_table_parts(shown_table(measured, shown))), None)


def _dots(measured: Measured, shown: Dots) -> Part | None:
    page, dimension = measured.page, shown.dimension
    metric_of = {
        value: next(m for m in shown.metrics if value in measured.slices(dimension, m))
        for value in measured.slices(dimension, *shown.metrics)
        if value != charts.UNKNOWN
    }
    panels = {
        page.slice_value(dimension, value): (metric, (dimension, value))
        for value, metric in metric_of.items()
    }
    found = [
        (cell, charts.row_of(cell, panel=name, name=charts.model_label(model)))
        for name, (metric, part) in panels.items()
        for model, cell in measured.cells(metric, part)
    ]
    if not found:
        return None
    labels = [charts.model_label(model) for model in measured.models]
    names = listed([page.metric_name(metric) for metric in shown.metrics])
    title = say("charts.by", metric=names, by=page.title_of(dimension).lower())
    variants = [page.variants[value] for value in metric_of if value in page.variants]
    return Part(
        title=title,
        figure=charts.dots(
            title,
            [row for _, row in found],
            list(panels),
            labels,
        ),
        caption=" ".join(
            say("charts.meaning", name=variant.name, meaning=variant.meaning)
            for variant in variants
        ),
        basis=_basis(measured, shown.metrics[0], (cell for cell, _ in found)),
        judge=measured.judge_of.get(shown.metrics[0], ""),
    )


def _scatter(measured: Measured, shown: Scatter) -> Part | None:
    page, cells = measured.page, {model.name: cell for model, cell in measured.cells(shown.y)}
    found = [
        (cell, charts.point(model, measured.places[model.name], x=cell, y=cells[model.name]))
        for model, cell in measured.cells(shown.x)
        if model.name in cells
    ]
    if not found:
        return None
    points = [row for _, row in found] + [
        {"name": name, "origin": "paper", "x": values[shown.x], "y": values[shown.y]}
        for name, values in measured.paper.items()
        if {shown.x, shown.y} <= values.keys()
    ]
    curves = measured.own_rows(shown.curves) if shown.curves else []
    paper = say("charts.scatter_paper") if measured.paper else ""
    x, y = page.metric_name(shown.x), page.metric_name(shown.y)
    title = say("charts.against", metric=y, amount=x.lower())
    return Part(
        title=title,
        figure=charts.scatter(
            say("charts.points", title=title),
            points,
            (x, y),
            curves=[
                {"level": row["level"], "x": row[shown.x], "y": row[shown.y]} for row in curves
            ],
        ),
        caption=" ".join([*places_told(measured), say("charts.scatter", paper=paper)]),
        basis=_basis(measured, shown.x, (cell for cell, _ in found)),
    )


def _distribution(measured: Measured, shown: Distribution) -> Part | None:
    relation = report_of(measured.suite.name, shown.relation)
    judges = {measured.judge, *measured.judge_of.values()}
    found = [
        row for row in judged_rows(measured, relation) if row.get("judge", measured.judge) in judges
    ]
    labels = {model.name: charts.model_label(model) for model in measured.models}
    rows = [
        {
            "panel": shown.panels[row["expected"]],
            "name": labels[row["model"]],
            "rating": row["rating"],
            "is_good": row["is_compliant"],
            "n": row["n"],
        }
        for row in found
        if row["rating"] is not None
    ]
    if not rows:
        return None
    bars: Counter[tuple[str, str]] = Counter()
    for row in rows:
        bars[row["panel"], row["name"]] += row["n"]
    whole = {"all"} & shown.panels.keys() or shown.panels.keys()
    n_unrated = sum(row["n"] for row in found if row["rating"] is None and row["expected"] in whole)
    panels = list(shown.panels.values())
    title = shown.relation.replace("_", " ").capitalize()
    return Part(
        title=title,
        figure=charts.distribution(
            title, rows, panels, list(labels.values()), say("charts.shares")
        ),
        caption=say("charts.unrated", n=n_unrated),
        basis=say("charts.basis_ratings", n=_least_to_most(bars.values())),
        judge=found[0].get("judge", ""),
    )


def _heatmap(measured: Measured, shown: Heatmap) -> Part | None:
    page, found = measured.page, heatmaps(measured, shown)
    if not found:
        return None
    caption = say(
        "heatmap.caption", unit=page.label(shown.metric).unit, metric=page.metric_name(shown.metric)
    )
    if shown.below is not None:
        caption += say("heatmap.below", below=page.metric_name(shown.below))
    unit = page.label(shown.metric).unit
    n = _range(cell for _, panels in found for panel in panels for cell in known(panel))
    return Part(
        title=heatmap_title(page, shown),
        caption=caption,
        basis=say("heatmap.basis", n=n, unit=unit),
        judge=measured.judge_of.get(shown.metric, ""),
        heatmaps=found,
    )


# --- sections of every suite -------------------------------------------------------------


def slice_parts(measured: Measured) -> list[Part]:
    """Draw each dimension that divides the units of the metric for single answers."""
    page, metric = measured.page, measured.of_answers
    name = page.metric_name(metric)
    models = charts.columns_of(measured)
    parts = []
    for dimension, label in page.all_dimensions.items():
        cells = {
            value: [
                (model, cell)
                for model in models
                if (cell := measured.of(model.name, metric, (dimension, value)))
            ]
            for value in measured.slices(dimension, metric)
        }
        unknown = [cell for _, cell in cells.pop(charts.UNKNOWN, [])]
        known = {
            f"{page.slice_value(dimension, visible(value))} "
            f"({_range(cell for _, cell in found)})": found
            for value, found in cells.items()
            if found
        }
        if len(known) < 2:
            continue
        rows = [
            charts.row_of(cell, panel=charts.model_label(model), name=value)
            for value, found in known.items()
            for model, cell in found
        ]
        caption = []
        if any(row["value"] is not None and row["low"] is None for row in rows):
            caption.append(say("charts.few"))
        if unknown:
            caption.append(say("charts.unknown", n=_range(unknown)))
        drawn = charts.dots(
            say("charts.by_model", metric=name, dimension=label.name.lower()),
            rows,
            [charts.model_label(model) for model in models],
            list(known),
        )
        basis = _basis(measured, metric, (cell for found in known.values() for _, cell in found))
        parts.append(Part(label.name, label.meaning, drawn, " ".join(caption), basis))
    return parts


def price_parts(measured: Measured) -> list[Part]:
    """Draw the headline metric against cost and answer time, if known."""
    name = measured.page.metric_name(measured.headline)
    answered = [(model, cell) for model, cell in measured.cells(measured.headline) if model.n_calls]
    amounts = {
        "cost": [
            (model, cell, 1000 * model.cost_usd / model.n_calls)
            for model, cell in answered
            if model.cost_usd is not None
        ],
        "speed": [
            (model, cell, model.mean_latency_ms / 1000)
            for model, cell in answered
            if model.mean_latency_ms is not None
        ],
    }
    parts = []
    for amount, found in amounts.items():
        if found:
            axis = say(f"prices.{amount}_axis")
            drawn = charts.scatter(
                say("charts.against", metric=name, amount=axis),
                [charts.point(model, measured.places[model.name], x, y) for model, y, x in found],
                (axis, name),
                is_of_amounts=True,
            )
            parts.append(Part(title=say(f"prices.{amount}"), figure=drawn))
    return parts


def _table_parts(*tables: Table | None) -> list[Part]:
    return [
        Part(table.title, "" if table.columns else table.meaning, table=table)
        for table in tables
        if table
    ]


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


def left_out(model: Candidate, measured: Measured) -> list[str]:
    """Describe the unrated units that a model's headline metric leaves out.

    They are counted in the metric's own units: `2 questions`, `1 answer`.
    """
    labels, derived = measured.page.metrics, measured.suite.metrics.get(measured.headline)
    texts = []
    for metric in derived.of if derived else (measured.headline,):
        cell = measured.of(model.name, metric)
        if cell is not None and cell.n_unscored:
            unit = labels[metric].unit if metric in labels else "answer"
            texts.append(say("leaderboard.left_out_of", n=cell.n_unscored, unit=unit))
    return texts


def places_told(measured: Measured) -> list[str]:
    """Say what numbers beside points are, if models have places."""
    return [say("charts.places")] if any(measured.places.values()) else []


def _basis(measured: Measured, metric: str, cells: Iterable[Estimate]) -> str:
    label = measured.page.metrics.get(metric)
    return say("charts.basis", n=_range(cells), unit=label.unit if label else "answer")


def _range(cells: Iterable[Estimate]) -> str:
    return _least_to_most(cell.n for cell in cells)


def _least_to_most(numbers: Iterable[int]) -> str:
    known = sorted(set(numbers)) or [0]
    if len(known) == 1:
        return f"{known[0]:,}"
    return say("charts.range", least=known[0], most=known[-1])
