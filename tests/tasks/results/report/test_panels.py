"""Tables of figures: which cells stand where, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.results.report.measured import OVERALL, Measured, MetricCell, span
from tasks.results.report.panels import dots, heatmaps, scatter
from tasks.suites.page import Dots, Heatmap, Label, Page, Scatter

SHOWN = Heatmap(metric="compliance", by=("task", "length", "depth"), below=("robustness",))


def cell(value: float | None, n: int = 4) -> MetricCell:
    return MetricCell(n, 0, value, 0.1, 0.9, value, value)


def given(measured: Measured, cells: dict[tuple[str, str], MetricCell], page: Page) -> Measured:
    """The values of the first model alone, in slices of three dimensions."""
    name = measured.models[0].name
    estimates: dict[Any, MetricCell] = {
        (name, "compliance", ("task,length,depth", f"qa,{length},{depth}")): panel_cell
        for (length, depth), panel_cell in cells.items()
    }
    estimates[name, "robustness", ("task,length", "qa,4000")] = cell(0.5)
    return replace(measured, estimates=estimates, suite=replace(measured.suite, page=page))


def test_cells_stand_in_natural_order_and_those_without_units_are_empty(measured: Measured) -> None:
    page = replace(measured.page, dimensions={"length": Label("Length"), "depth": Label("Depth")})
    cells = {("16000", "10-20 %"): cell(1.0), ("4000", "90-100 %"): cell(0.25)}
    part = heatmaps(given(measured, cells, page), SHOWN)
    assert part is not None
    ((model, (panel,)),) = part.panels.items()
    assert model.startswith(measured.models[0].name)  # others have no value
    assert (panel.title, panel.corner) == ("Question answering", "Depth \\ Length")
    assert panel.columns == ("4,000", "16,000")
    assert panel.rows == {
        "10-20 %": (None, cells["16000", "10-20 %"]),
        "90-100 %": (cells["4000", "90-100 %"], None),
    }
    assert panel.below == {"Robustness": (cell(0.5), None)}
    assert heatmaps(measured, SHOWN) is None


def test_models_are_the_rows_of_a_heatmap_on_two_dimensions(measured: Measured) -> None:
    name, other = (model.name for model in measured.models[:2])
    by = ("task,length", "qa,4000"), ("task,length", "qa,8000")
    low, high = cell(0.25), cell(1.0)
    estimates: dict[Any, MetricCell] = {
        (name, "compliance", by[0]): low,
        (other, "compliance", by[1]): high,
    }
    shown = Heatmap(metric="compliance", by=("task", "length"))
    changed = replace(measured, estimates=estimates)
    part = heatmaps(changed, shown)
    assert part is not None
    ((title, (panel,)),) = part.panels.items()
    assert (title, panel.columns, panel.below) == ("Compliance by length", ("4000", "8000"), {})
    assert panel.corner == "Model \\ Length"
    assert list(panel.rows.values()) == [(low, None), (None, high)]


def test_dots_have_a_row_for_each_model_and_an_n_for_each_column(measured: Measured) -> None:
    first, second, _ = measured.models
    estimates: dict[Any, MetricCell] = {
        (first.name, "compliance", ("variant", "ocr")): cell(0.5, 12),
        (second.name, "compliance", ("variant", "ocr")): cell(0.75, 30),
        (first.name, "context_grounding", ("variant", "missing_context")): cell(0.25, 9),
        (first.name, "compliance", ("variant", "incomplete")): cell(0.5, 3),  # too few
    }
    changed = replace(measured, estimates=estimates)
    shown = Dots(dimension="variant", metrics=("context_grounding", "compliance"))
    part = dots(changed, shown)
    assert part is not None
    (panel,) = part.panels[""]
    assert panel.columns == ("Scanned (n 12-30)", "Missing context (n 9)")
    assert list(panel.rows.values()) == [(cell(0.5, 12), cell(0.25, 9)), (cell(0.75, 30), None)]
    assert panel.ends == (0.0, 1.0)
    assert dots(changed, replace(shown, dimension="sector")) is None


def test_points_that_nearly_coincide_share_a_label(measured: Measured) -> None:
    first, second, third = (model.name for model in measured.models)
    values = {first: 0.3, second: 0.7, third: 0.72}
    cells = {(name, "robustness", OVERALL): cell(value) for name, value in values.items()}
    part = scatter(replace(measured, estimates=cells), Scatter(x="robustness", y="robustness"))
    assert part is not None
    assert f">{first}<" in str(part.figure)
    assert f">{second}, {third} (baseline)<" in str(part.figure)


def test_a_scale_is_that_of_shares_unless_all_values_are_above_1() -> None:
    assert span([0.4, None]) == (0, 1)
    assert span([]) == (0, 1)
    assert span([-0.5, 3.0]) == (-0.5, 3)
    assert span([1164.35, 797.37]) == (797.37, 1164.35)
    assert span([1000.0]) == (999, 1001)
