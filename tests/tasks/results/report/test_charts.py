"""Specifications of charts are filled whole, and their axes can be read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.results.report import charts
from tasks.results.report.contents import price_parts
from tasks.results.report.measured import Measured

SPECS = [
    file.name
    for file in (files("tasks.results.report") / "charts").iterdir()
    if file.name.endswith(".vl.json")
]


@given(st.floats(-1e6, 0), st.floats(1e-6, 1e6), st.integers(3, 9))
def test_an_axis_has_at_least_two_ticks_within_its_ends(low: float, high: float, most: int) -> None:
    found = charts.ticks((low, high), most)
    assert 2 <= len(found) <= 2 * most
    assert found == sorted(set(found))
    margin = (high - low) * 1e-9
    assert low - margin <= found[0] <= found[-1] <= high + margin


@pytest.mark.parametrize(
    ("domain", "most", "expected"),
    [
        ((0, 1), 5, [0, 0.25, 0.5, 0.75, 1]),
        ((0, 1), 3, [0, 0.5, 1]),
        ((0, 20.7), 6, [0, 5, 10, 15, 20]),
        ((0, 1016.0), 5, [0, 250, 500, 750, 1000]),
    ],
)
def test_ticks_are_round_numbers(
    domain: tuple[float, float], most: int, expected: list[float]
) -> None:
    assert charts.ticks(domain, most) == expected


@pytest.mark.parametrize("name", SPECS)
def test_a_specification_asks_for_few_values(name: str) -> None:
    text = (files("tasks.results.report") / "charts" / name).read_text(encoding="utf-8")
    assert json.loads(text)["$schema"].endswith("v6.json")
    assert len(set(re.findall(r'"\$(\w+)"', text)) - {"schema"}) <= 12


def test_each_point_has_its_place_unless_no_other_model_has_one(measured: Measured) -> None:
    drawn = [part.figure for part in price_parts(measured) if part.figure]
    assert len(drawn) == 2
    for figure in drawn:
        for svg in (figure.wide, figure.narrow):
            for name, place in measured.places.items():
                if name != "extractive":  # it costs nothing
                    assert re.search(rf">{place}(\. {name})?<", svg)
    (alone, *_) = price_parts(replace(measured, models=measured.models[:1]))
    assert alone.figure is not None
    assert f">{measured.models[0].name}<" in alone.figure.wide


def test_a_scale_is_that_of_shares_unless_all_values_are_above_1() -> None:
    assert charts.span([0.4, None]) == (0, 1)
    assert charts.span([]) == (0, 1)
    assert charts.span([-0.5, 3.0]) == (-0.5, 3)
    assert charts.span([1164.35, 797.37]) == (797.37, 1164.35)
    assert charts.span([1000.0]) == (999, 1001)


def test_an_open_interval_goes_on_to_the_edge() -> None:
    row = {"panel": "All", "name": "m", "value": 1164.0, "low": 1090.0, "high": None}
    drawn = charts.dots("Elo", [row], ["All"], ["m"]).wide
    closed = charts.dots("Elo", [row | {"high": 1164.0}], ["All"], ["m"]).wide
    assert drawn == closed


def labelled(*points: tuple[float, float], name: str = "model") -> list[charts.Row]:
    """Labels of points with places, in shares of a plot of 600 x 400."""
    rows = [
        {"name": name, "x": x, "y": y, "place": place + 1} for place, (x, y) in enumerate(points)
    ]
    return charts._labels(rows, (600, 400), (0.0, 1.0), (0.0, 1.0))


def test_a_lone_point_has_its_name_and_place_beside_it() -> None:
    (label,) = labelled((0.5, 0.5))
    assert label["text"] == "1. model"
    assert 0 < label["x"] - 300 < 20
    (at_the_edge,) = labelled((0.99, 0.5))
    assert at_the_edge["x"] + 8 * 6.8 < 600


def test_a_crowded_name_becomes_its_place_and_none_covers_another() -> None:
    labels = labelled(*((0.5 + n / 80, 0.5) for n in range(9)), name="a very long model name")
    texts = [label["text"] for label in labels]
    assert texts[0] == "1. a very long model name"
    assert any(text.isdigit() for text in texts)
    boxes = [(each["x"], each["y"], each["x"] + 6.8 * len(each["text"])) for each in labels]
    for place, (left, middle, right) in enumerate(boxes):
        for other_left, other_middle, other_right in boxes[:place]:
            assert right <= other_left or other_right <= left or abs(middle - other_middle) >= 14
