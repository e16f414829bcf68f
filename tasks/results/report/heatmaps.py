"""The page's heatmaps: tables whose cells are coloured, so that they need no other equivalent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.results.report import charts
from tasks.results.report.measured import Candidate, Estimate, Measured
from tasks.results.report.messages import listed, say
from tasks.suites.page import Heatmap, Page

Cells = tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Cells in one slice, of one model or of all.

    Attributes:
        corner: names what rows and columns are.
        rows: name -> its cells by column.
        below: name -> the cells below the columns.
    """

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: dict[str, Cells]
    below: dict[str, Cells]


def heatmap_title(page: Page, shown: Heatmap) -> str:
    """Return a chart's title: `Recall by length and depth`."""
    dimensions = listed([page.title_of(each).lower() for each in shown.by[1:] or shown.by])
    return say("charts.by", metric=page.metric_name(shown.metric), by=dimensions)


def heatmaps(measured: Measured, shown: Heatmap) -> list[tuple[str, list[Panel]]]:
    """Return the panels of each model in small multiples that has a value, by its label.

    If rows are models, all stand in one group of panels, which has the chart's title.
    """
    page = measured.page
    parts = [value.split(",") for value in measured.slices(",".join(shown.by), shown.metric)]
    if not parts:
        return []
    panels, columns, *rows = (
        measured.in_order(dimension, values)
        for dimension, values in zip(shown.by, zip(*parts, strict=True), strict=True)
    )
    of_panels, of_columns, *of_rows = shown.by
    titles = [page.title_of(each) for each in (of_columns, *of_rows)]

    def cells(model: Candidate, metric: str, *of: str) -> Cells:
        """Return a row: `of` is its panel, and its place on the third dimension, if any."""
        by = ",".join(shown.by[: len(of) + 1])
        slices = [",".join((of[0], column, *of[1:])) for column in columns]
        return tuple(measured.of(model.name, metric, (by, each)) for each in slices)

    def panel(value: str, named: Mapping[str, Cells], below: Mapping[str, Cells]) -> Panel:
        return Panel(
            title=page.slice_value(of_panels, value),
            corner=say(
                "heatmap.corner", rows=[*titles, say("heatmap.model")][1], columns=titles[0]
            ),
            columns=tuple(page.slice_value(of_columns, column) for column in columns),
            rows=dict(named),
            below=dict(below),
        )

    def of_model(model: Candidate, value: str) -> Panel:
        named = {
            page.slice_value(of_rows[0], row): cells(model, shown.metric, value, row)
            for row in rows[0]
        }
        below = (
            {}
            if shown.below is None
            else {page.metric_name(shown.below): cells(model, shown.below, value)}
        )
        return panel(value, named, below)

    def of_models(value: str) -> Panel:
        found = {
            charts.model_label(model): cells(model, shown.metric, value)
            for model in measured.models
        }
        return panel(value, {name: row for name, row in found.items() if any(row)}, {})

    if rows:
        found = [
            (charts.model_label(model), [of_model(model, value) for value in panels])
            for model in charts.columns_of(measured)
        ]
    else:
        found = [(heatmap_title(page, shown), [of_models(value) for value in panels])]
    return [(name, drawn) for name, drawn in found if any(known(each) for each in drawn)]


def known(panel: Panel) -> list[Estimate]:
    """Return a panel's cells that have a value, without those below its columns."""
    cells = [cell for row in panel.rows.values() for cell in row]
    return [cell for cell in cells if cell is not None and cell.value is not None]
