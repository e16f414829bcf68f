"""The page's heatmaps: tables whose cells are coloured, so that they need no other equivalent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.results.report import charts
from tasks.results.report.measured import Candidate, Estimate, Measured
from tasks.results.report.messages import say
from tasks.suites.page import Heatmap

Cells = tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One model's cells in one slice.

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


def heatmaps(measured: Measured, shown: Heatmap) -> list[tuple[Candidate, list[Panel]]]:
    """Return the panels of each model in small multiples that has a value."""
    page, joined = measured.page, ",".join(shown.by)
    parts = [value.split(",") for value in measured.slices(joined, shown.metric)]
    if not parts:
        return []
    panels, columns, rows = (
        measured.in_order(dimension, values)
        for dimension, values in zip(shown.by, zip(*parts, strict=True), strict=True)
    )
    of_panels, of_columns, of_rows = shown.by
    below = f"{of_panels},{of_columns}"
    titles = [page.dimensions.get(name, name.capitalize()) for name in (of_rows, of_columns)]

    def panel(model: Candidate, value: str) -> Panel:
        def cells(metric: str, by: str, values: Iterable[Sequence[str]]) -> Cells:
            return tuple(measured.of(model.name, metric, (by, ",".join(of))) for of in values)

        return Panel(
            title=page.slice_value(of_panels, value),
            corner=say("heatmap.corner", rows=titles[0], columns=titles[1]),
            columns=tuple(page.slice_value(of_columns, column) for column in columns),
            rows={
                page.slice_value(of_rows, row): cells(
                    shown.metric, joined, [(value, column, row) for column in columns]
                )
                for row in rows
            },
            below={
                page.metric_name(shown.below): cells(
                    shown.below, below, [(value, column) for column in columns]
                )
            },
        )

    found = [
        (model, [panel(model, value) for value in panels]) for model in charts.columns_of(measured)
    ]
    return [(model, drawn) for model, drawn in found if any(known(each) for each in drawn)]


def known(panel: Panel) -> list[Estimate]:
    """Return a panel's cells that have a value, without those below its columns."""
    cells = [cell for row in panel.rows.values() for cell in row]
    return [cell for cell in cells if cell is not None and cell.value is not None]
