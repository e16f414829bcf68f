"""Heatmaps: which cells stand where, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.results.report.contents import sections
from tasks.results.report.heatmaps import heatmaps, known
from tasks.results.report.measured import Estimate, Measured
from tasks.suites.page import Heatmap, Label, Page, Section

SHOWN = Heatmap(metric="compliance", by=("task", "length", "depth"), below="robustness")


def cell(value: float | None, n: int = 4) -> Estimate:
    return Estimate(n, 0, value, 0.1, 0.9, value, value)


def given(measured: Measured, cells: dict[tuple[str, str], Estimate], page: Page) -> Measured:
    """The values of the first model alone, in slices of three dimensions, and below them."""
    name = measured.models[0].name
    estimates: dict[Any, Estimate] = {
        (name, "compliance", ("task,length,depth", f"qa,{length},{depth}")): each
        for (length, depth), each in cells.items()
    }
    estimates[name, "robustness", ("task,length", "qa,4000")] = cell(0.5)
    return replace(measured, estimates=estimates, suite=replace(measured.suite, page=page))


def test_cells_stand_in_natural_order_and_those_without_units_are_empty(
    measured: Measured,
) -> None:
    page = replace(measured.page, dimensions={"length": Label("Length"), "depth": Label("Depth")})
    cells = {("16000", "10-20 %"): cell(1.0), ("4000", "90-100 %"): cell(0.25)}
    ((model, (panel,)),) = heatmaps(given(measured, cells, page), SHOWN)
    assert model.startswith(measured.models[0].name)  # others have no value
    assert (panel.title, panel.corner) == ("Question answering", "Depth \\ Length")
    assert panel.columns == ("4,000", "16,000")
    assert panel.rows == {
        "10-20 %": (None, cells["16000", "10-20 %"]),
        "90-100 %": (cells["4000", "90-100 %"], None),
    }
    assert panel.below == {"Robustness": (cell(0.5), None)}
    assert known(panel) == [cell(1.0), cell(0.25)]
    assert heatmaps(measured, SHOWN) == []


def test_models_are_the_rows_of_a_heatmap_on_two_dimensions(measured: Measured) -> None:
    name, other = (model.name for model in measured.models[:2])
    by = ("task,length", "qa,4000"), ("task,length", "qa,8000")
    low, high = cell(0.25), cell(1.0)
    estimates: dict[Any, Estimate] = {
        (name, "compliance", by[0]): low,
        (other, "compliance", by[1]): high,
    }
    shown = Heatmap(metric="compliance", by=("task", "length"))
    given = replace(measured, estimates=estimates)
    ((title, (panel,)),) = heatmaps(given, shown)
    assert (title, panel.columns, panel.below) == ("Compliance by length", ("4000", "8000"), {})
    assert panel.corner == "Model \\ Length"
    assert list(panel.rows.values()) == [(low, None), (None, high)]
    section = Section(name="Length", text="", shows=(shown,))
    page = replace(measured.page, sections=(section,), dimensions={"length": Label("Length")})
    assert "length" not in page.all_dimensions
    (found,) = [
        each
        for each in sections(replace(given, suite=replace(measured.suite, page=page)))
        if each.id == "length"
    ]
    assert "Below each column" not in found.parts[0].caption


def test_a_section_says_how_many_units_a_cell_has(measured: Measured) -> None:
    section = Section(name="Depth", text="", shows=(SHOWN,))
    page = replace(measured.page, sections=(section,))
    cells = {("4000", "0-10 %"): cell(0.5, 2), ("4000", "10-20 %"): cell(0.5, 6)}
    (found,) = [each for each in sections(given(measured, cells, page)) if each.id == "depth"]
    (part,) = found.parts
    assert part.basis == "2 to 6 answers per cell"
    assert "Robustness with its 95 % interval" in part.caption
