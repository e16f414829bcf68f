"""What the sections rest on, in numbers: parts of the data, and what is left out of a metric."""

from __future__ import annotations

from dataclasses import replace

from tasks.report.contents import figures, left_out, rankings
from tasks.report.measured import Estimate, Measured


def cell(n: int, n_unscored: int = 0, value: float | None = 0.5, low: float | None = 0.4) -> Estimate:
    return Estimate(n, n_unscored, value, low, None if low is None else 0.6, value, value)


def test_each_dimension_has_its_own_n_and_what_is_not_known_is_counted_apart(measured: Measured) -> None:
    alone = replace(measured, models=measured.models[:1])
    name = alone.models[0].name
    cells = {
        "sector=finance": cell(12),
        "sector=manufacturing": cell(30),
        "sector=unknown": cell(7),
        "format=html": cell(9),
        "format=text": cell(9, low=None),
    }
    found = replace(alone, estimates={(name, "compliance", part): each for part, each in cells.items()})
    formats, sectors = figures(found)["slices"]
    assert (sectors.n, sectors.n_unknown, sectors.has_too_few_filings) == ("12 to 30", "7", False)
    assert (formats.n, formats.n_unknown, formats.has_too_few_filings) == ("9", None, True)
    assert "unknown" not in sectors.figure.wide


def test_one_part_beside_what_is_not_known_is_no_comparison(measured: Measured) -> None:
    name = measured.models[0].name
    cells = {(name, "compliance", f"sector={part}"): cell(9) for part in ("finance", "unknown")}
    assert figures(replace(measured, estimates=cells))["slices"] == []


def test_what_is_left_out_is_counted_in_units_of_the_metrics_that_are_weighed(measured: Measured) -> None:
    model = measured.models[0]
    cells = {"llmc": cell(5, 3), "robustness": cell(5, 2), "context_grounding": cell(9, 1)}
    found = replace(measured, estimates={(model.name, m, "overall"): each for m, each in cells.items()})
    assert left_out(found, model) == ["2 questions", "1 answer"]
    assert left_out(replace(found, headline="robustness"), model) == ["2 questions"]
    assert left_out(replace(found, estimates={}), model) == []


def test_judges_are_compared_where_they_order_the_models_otherwise(measured: Measured) -> None:
    first, second = measured.models[:2]
    ours = {(first.name, "llmc", "overall"): cell(9, value=0.8), (second.name, "llmc", "overall"): cell(9)}
    two = replace(measured, models=(first, second), estimates=ours, other_judges=("zeta",))
    alike = {("zeta", first.name): cell(9, value=0.4), ("zeta", second.name): cell(9, value=0.3)}
    assert rankings(replace(two, other_headlines=alike)) is None
    tied = {("zeta", first.name): cell(9, value=0.4), ("zeta", second.name): cell(9, value=0.4)}
    table = rankings(replace(two, other_headlines=tied))
    assert table is not None
    assert table.headings == ("Model", measured.judge, "zeta")
    assert table.rows == ((first.name, "1 (0.80)", "1 (0.40)"), (second.name, "2 (0.50)", "1 (0.40)"))
    missing = {("zeta", first.name): cell(9, value=0.4)}
    table = rankings(replace(two, other_headlines=missing))
    assert table is not None
    assert table.rows[1] == (second.name, "2 (0.50)", "–")
