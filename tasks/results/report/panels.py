"""The page's figures: tables of values with their intervals or of coloured shares, and a plot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from markupsafe import Markup

from tasks.results.report.measured import Measured, MetricCell, Row, ScoredModel, span, span_of
from tasks.results.report.messages import listed, say, text_of
from tasks.results.report.tables import PageTable
from tasks.suites.page import Dots, Heatmap, Scatter
from tasks.text.visible import visible

Cells = tuple[MetricCell | None, ...]

# Models in small multiples, besides baselines.
_MOST_MODELS = 5
_LEAST = 4  # units that a value rests on; of fewer, chance is all that one sees
_NEAR = {"x": 0.06, "y": 0.05}  # distances of points whose labels would overlap
# A dimension's value for units whose value is not known.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Panel:
    """A table of cells, of one model or of all."""

    title: str
    corner: str  # names what rows and columns are
    columns: tuple[str, ...]
    rows: Mapping[str, Cells]  # name -> its cells by column
    below: Mapping[str, Cells] = field(default_factory=dict)
    ends: tuple[float, float] | None = None  # of lines of intervals; None: coloured by tenths


@dataclass(frozen=True, slots=True)
class PagePart:
    """A chart or tables of a section, with their texts."""

    title: str = ""
    text: str = ""
    figure: Markup | None = None
    caption: str = ""
    judge: str = ""  # of the values, if not the page's
    table: PageTable | None = None
    panels: Mapping[str, Sequence[Panel]] = field(default_factory=dict)  # by what they are of


def dots(measured: Measured, shown: Dots) -> PagePart | None:
    """Show each model's values on a dimension, with intervals; None if there are none."""
    page, by = measured.page, shown.dimension
    columns: dict[str, Cells] = {}
    for value in measured.slices(by, *shown.metrics):
        metric = next(name for name in shown.metrics if value in measured.slices(by, name))
        of_models = [measured.of(model.name, metric, (by, value)) for model in measured.models]
        cells = tuple(cell if cell and cell.n >= _LEAST else None for cell in of_models)
        if any(cells):
            columns[page.slice_value(by, value)] = cells
    if [*columns] == [UNKNOWN] or (by == "variant" and len(columns) == 1):
        return None
    rows = _by_model(zip(measured.models, zip(*columns.values(), strict=True), strict=False))
    names = listed([page.metric_name(metric) for metric in shown.metrics])
    panel = Panel(
        title=say("charts.by", metric=names, by=page.title_of(by).lower()),
        corner=say("panels.model"),
        columns=tuple(map(_counted, columns, columns.values())),
        rows=rows,
        ends=span_of(cell for row in rows.values() for cell in row),
    )
    if not _has_value(panel):
        return None
    shown_forms = [of for of in page.variants.values() if by == "variant" and of.name in columns]
    meanings = [say("panels.meaning", name=of.name, meaning=of.meaning) for of in shown_forms]
    judge = measured.judge_of.get(shown.metrics[0], "")
    return PagePart(panel.title, caption=" ".join(meanings), judge=judge, panels={"": [panel]})


def heatmaps(measured: Measured, shown: Heatmap) -> PagePart | None:
    """Show a share on two dimensions: panels of each model in small multiples that has a value.

    If rows are models, all stand in one group of panels, which has the chart's title.
    """
    page, metric = measured.page, shown.metric
    by: Sequence[str] = shown.by
    slices = [value.split(",") for value in measured.slices(",".join(by), metric)]
    if not slices:
        return None
    panels, columns, *rows = map(measured.in_order, by, zip(*slices, strict=True))
    names = tuple(page.slice_value(by[1], column) for column in columns)
    titles = [page.title_of(dimension) for dimension in by[1:]]
    corner = say("panels.corner", rows=[*titles, say("panels.model")][1], columns=titles[0])
    title = say("charts.by", metric=page.metric_name(metric), by=listed(titles).lower())

    def cells(model: ScoredModel, metric: str, panel: str, *row: str) -> Cells:
        dimensions = ",".join(by[: 2 + len(row)])
        slices = [(dimensions, ",".join((panel, column, *row))) for column in columns]
        return tuple(measured.of(model.name, metric, slice_) for slice_ in slices)

    def of_all(panel: str) -> Panel:
        rows = _by_model((model, cells(model, metric, panel)) for model in measured.models)
        return Panel(page.slice_value(by[0], panel), corner, names, rows)

    def of_one(model: ScoredModel, panel: str) -> Panel:
        body = {page.slice_value(by[2], row): cells(model, metric, panel, row) for row in rows[0]}
        below = {page.metric_name(name): cells(model, name, panel) for name in shown.below}
        return Panel(page.slice_value(by[0], panel), corner, names, body, below)

    if rows:
        best = [model for model in measured.models if not model.is_baseline][:_MOST_MODELS]
        leading = best + [model for model in measured.models if model.is_baseline]
        groups = {_label(model): [of_one(model, panel) for panel in panels] for model in leading}
    else:
        groups = {title: [of_all(panel) for panel in panels]}
    caption = say("panels.heatmap", metric=page.metric_name(metric))
    if shown.below:
        caption += say("panels.below", below=listed([*map(page.metric_name, shown.below)]))
    groups = {name: some for name, some in groups.items() if any(map(_has_value, some))}
    judge = measured.judge_of.get(metric, "")
    return PagePart(title, caption=caption, judge=judge, panels=groups) if groups else None


def scatter(measured: Measured, shown: Scatter) -> PagePart | None:
    """Plot a point for each model that has values in two metrics, and the paper's."""
    page, cells = measured.page, {model.name: cell for model, cell in measured.cells(shown.y)}
    both = [
        (model, cell, other)
        for model, cell in measured.cells(shown.x)
        if (other := cells.get(model.name)) and min(cell.n, other.n) >= _LEAST
    ]
    if not both:
        return None
    places = [measured.places[model.name] for model, *_ in both]
    has_places = None not in places and len(set(places)) == len(places)  # if not, names tell apart
    labels = map(str, places) if has_places else (_label(model) for model, *_ in both)
    points = [_point(label, *of) for label, of in zip(labels, both, strict=True)]
    _join_labels(points)
    points += [
        {"label": "", "origin": "paper", "x": values[shown.x], "y": values[shown.y]}
        for values in measured.paper.values()
        if {shown.x, shown.y} <= values.keys()
    ]
    curves = [
        {"level": row["level"], "x": row[shown.x], "y": row[shown.y]}
        for row in (measured.own_rows(shown.curves) if shown.curves else ())
    ]
    x, y = page.metric_name(shown.x), page.metric_name(shown.y)
    title = say("charts.against", metric=y, amount=x.lower().replace("f1", "F1"))
    figure = _plot(say("charts.points", title=title), points, (x, y), curves)
    paper = say("charts.scatter_paper") if measured.paper else ""
    by_place = say("charts.scatter_places") if has_places else ""
    caption = say("charts.scatter", title=title, labels=by_place, paper=paper)
    return PagePart(title, figure=figure, caption=caption)


def _has_value(panel: Panel) -> bool:
    return any(cell and cell.value is not None for row in panel.rows.values() for cell in row)


def _label(model: ScoredModel) -> str:
    """Return a model's name for figures; a baseline is marked as one."""
    name = visible(model.name)
    return say("panels.baseline", model=name) if model.is_baseline else name


def _by_model(rows: Iterable[tuple[ScoredModel, Cells]]) -> dict[str, Cells]:
    """Map each model that has a cell to its cells."""
    return {_label(model): cells for model, cells in rows if any(cells)}


def _counted(name: str, column: Sequence[MetricCell | None]) -> str:
    """Add to a column's name how many units its cells have."""
    numbers = sorted({cell.n for cell in column if cell})
    least, most = (f"{n:,}" for n in (numbers[0], numbers[-1]))
    return say("panels.counted", name=name, n=least if least == most else f"{least}-{most}")


def _join_labels(points: Sequence[Row]) -> None:
    """Leave points that nearly coincide one label, on the first of them."""
    firsts: list[Row] = []
    for point in points:
        near = [one for one in firsts if all(abs(one[of] - point[of]) < _NEAR[of] for of in "xy")]
        if near:
            near[0]["label"] += f", {point['label']}"
            point["label"] = ""
        else:
            firsts.append(point)


def _point(label: str, model: ScoredModel, x: MetricCell, y: MetricCell) -> Row:
    row: Row = {"label": label, "origin": "baseline" if model.is_baseline else "measured"}
    for axis, cell in (("x", x), ("y", y)):
        row |= {axis: cell.value, f"{axis}_low": cell.low, f"{axis}_high": cell.high}
    return row


def _plot(
    title: str, points: Sequence[Row], titles: tuple[str, str], curves: Sequence[Row]
) -> Markup:
    """Draw a Vega-Lite specification, in which `"$name"` stands for a value, as SVG.

    Figures need no script: their colours are the page's CSS variables, which follow its light and
    dark scheme, and their sizes are in rem. `titles` are those of the axes.
    """
    import vl_convert

    spec = text_of("charts/scatter.vl.json")
    values: Row = {"rows": points, "curves": curves, "x_title": titles[0], "y_title": titles[1]}
    for axis in ("x", "y"):
        ends = [row.get(f"{axis}{end}") for row in points for end in ("", "_low", "_high")]
        values[f"{axis}_domain"] = span(ends)
    for name, value in values.items():
        spec = spec.replace(f'"${name}"', json.dumps(value))
    config = json.loads(text_of("charts/config.json"))
    drawn = vl_convert.vegalite_to_svg(json.loads(spec) | {"config": config}, vl_version="6.4")
    width, height = (
        float(size) for size in re.findall(r' (?:width|height)="([\d.]+)"', drawn[:400])[:2]
    )
    # Vega labels each part for interactive use; ours is a single image.
    body = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", drawn.partition(">")[2])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {width:g} {height:g}" width="{width / 16:g}rem">'
    )
    return Markup(head + body)
