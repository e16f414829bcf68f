"""The page's tables of figures: a value with its interval, or a share and its colour, per cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.results.report.measured import Measured, MetricCell, ScoredModel, span
from tasks.results.report.messages import listed, say
from tasks.suites.page import Distribution, Dots, Heatmap, Page
from tasks.text.visible import visible
from tasks.warehouse.sql_files import report_of

Cells = tuple[MetricCell | None, ...]

# A dimension's value for units whose value is not known.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Panel:
    """A table of cells, of one model or of all.

    Attributes:
        corner: names what rows and columns are.
        rows: name -> its cells by column.
        ends: of the lines that show intervals; None: cells are coloured by tenths.
    """

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: dict[str, Cells]
    ends: tuple[float, float] | None = None


def model_label(model: ScoredModel) -> str:
    """Return a model's name for figures; a baseline is marked as one."""
    name = visible(model.name)
    return say("panels.baseline", model=name) if model.is_baseline else name


def has_value(panel: Panel) -> bool:
    """Whether any cell of a panel has a value."""
    return any(cell and cell.value is not None for row in panel.rows.values() for cell in row)


def dots(measured: Measured, shown: Dots) -> Panel | None:
    """Return each model's values on a dimension, with intervals; None if there are none."""
    page, by = measured.page, shown.dimension
    metric_of = {
        value: next(m for m in shown.metrics if value in measured.slices(by, m))
        for value in measured.slices(by, *shown.metrics)
        if value != UNKNOWN
    }
    columns = {
        page.slice_value(by, visible(value)): (metric, (by, value))
        for value, metric in metric_of.items()
    }
    rows = _by_model(measured, list(columns.values()))
    cells = [cell for row in rows.values() for cell in row if cell]
    ends = (end for cell in cells for end in (cell.value, cell.low, cell.high))
    names = listed([page.metric_name(metric) for metric in shown.metrics])
    panel = Panel(
        title=say("charts.by", metric=names, by=page.title_of(by).lower()),
        corner=say("panels.model"),
        columns=tuple(
            _counted(name, column)
            for name, column in zip(columns, zip(*rows.values(), strict=True), strict=True)
        )
        if rows
        else (),
        rows=rows,
        ends=span(ends),
    )
    return panel if has_value(panel) else None


def _by_model(
    measured: Measured, columns: Sequence[tuple[str, tuple[str, str]]]
) -> dict[str, Cells]:
    """Map each model that has a cell in one of the columns to its cells."""
    rows = {
        model_label(model): tuple(measured.of(model.name, *column) for column in columns)
        for model in measured.models
    }
    return {name: row for name, row in rows.items() if any(row)}


def _counted(name: str, column: Sequence[MetricCell | None]) -> str:
    """Add to a column's name how many units its cells have."""
    numbers = sorted({cell.n for cell in column if cell})
    least, most = (f"{n:,}" for n in (numbers[0], numbers[-1]))
    return say("panels.counted", name=name, n=least if least == most else f"{least}-{most}")


def distribution(measured: Measured, shown: Distribution) -> list[Panel]:
    """Return panels of the shares of ratings, from the highest; a row for each model."""
    judges = {measured.judge, *measured.judge_of.values()}
    found = [
        row
        for row in measured.judged_rows(report_of(measured.suite.name, shown.relation))
        if row.get("judge", measured.judge) in judges and row["rating"] is not None
    ]
    ratings = sorted({row["rating"] for row in found}, reverse=True)
    panels = []
    for expected, title in shown.panels.items():
        rows: dict[str, Cells] = {}
        for model in measured.models:
            counts = {
                row["rating"]: row["n"]
                for row in found
                if (row["expected"], row["model"]) == (expected, model.name)
            }
            if n := sum(counts.values()):
                rows[model_label(model)] = tuple(
                    MetricCell.counted(counts.get(rating, 0), n) for rating in ratings
                )
        if rows:
            corner = say("panels.model")
            panels.append(Panel(title, corner, tuple(map(str, ratings)), rows))
    return panels


def heatmap_title(page: Page, shown: Heatmap) -> str:
    """Return a chart's title: `Recall by length and depth`."""
    dimensions = listed([page.title_of(each).lower() for each in shown.by[1:]])
    return say("charts.by", metric=page.metric_name(shown.metric), by=dimensions)


def heatmaps(measured: Measured, shown: Heatmap) -> list[tuple[str, list[Panel]]]:
    """Return the panels of each model in small multiples that has a value, by its label.

    If rows are models, all stand in one group of panels, which has the chart's title.
    """
    page = measured.page
    parts = [value.split(",") for value in measured.slices(",".join(shown.by), shown.metric)]
    if not parts:
        return []
    values = [
        measured.in_order(dimension, of)
        for dimension, of in zip(shown.by, zip(*parts, strict=True), strict=True)
    ]
    titles = [page.title_of(by) for by in shown.by[1:]]
    corner = say("panels.corner", rows=[*titles, say("panels.model")][1], columns=titles[0])

    def name(place: int, value: str) -> str:
        return page.slice_value(shown.by[place], value)

    def columns(panel: str, *row: str) -> list[tuple[str, tuple[str, str]]]:
        by = ",".join(shown.by[: 2 + len(row)])
        return [(shown.metric, (by, ",".join((panel, column, *row)))) for column in values[1]]

    def panel_of(value: str, rows: dict[str, Cells]) -> Panel:
        names = tuple(name(1, column) for column in values[1])
        return Panel(name(0, value), corner, names, rows)

    groups: dict[str, list[Panel]] = {}
    if len(values) == 2:
        groups[heatmap_title(page, shown)] = [
            panel_of(value, _by_model(measured, columns(value))) for value in values[0]
        ]
    for model in measured.leading if len(values) > 2 else ():

        def cells(*column: str, of: str = model.name) -> Cells:
            return tuple(measured.of(of, *each) for each in columns(*column))

        groups[model_label(model)] = [
            panel_of(
                value,
                {name(2, row): cells(value, row) for row in values[2]},
            )
            for value in values[0]
        ]
    return [(title, panels) for title, panels in groups.items() if any(map(has_value, panels))]
