"""What the sections rest on, in numbers: parts of the data, and what is left out of a metric."""

from __future__ import annotations

from dataclasses import replace

from tasks.results.report.contents import slice_parts
from tasks.results.report.measured import OVERALL, Measured, MetricCell
from tasks.results.report.tables import by_judge


def cell(n: int, value: float = 0.5, low: float | None = 0.4) -> MetricCell:
    return MetricCell(n, 0, value, low, None if low is None else 0.6, value, value)


def test_each_dimension_has_its_own_n_and_what_is_not_known_is_one(measured: Measured) -> None:
    name = measured.models[0].name
    cells = {
        ("sector", "finance"): cell(12),
        ("sector", "manufacturing"): cell(30),
        ("sector", "unknown"): cell(7),
        ("format", "html"): cell(9),
        ("format", "text"): cell(9, low=None),
        ("fiscal_year", "2023"): cell(9),
    }
    estimates = {(name, "compliance", part): part_cell for part, part_cell in cells.items()}
    parts = slice_parts(replace(measured, estimates=estimates))
    assert [part.title for part in parts] == ["Format of the filing", "Sector"]
    ((formats,), (sectors,)) = (part.panels[""] for part in parts)
    assert formats.columns == ("HTML (n 9)", "plain text (n 9)")
    assert sectors.columns == ("finance (n 12)", "manufacturing (n 30)", "unknown (n 7)")


def test_each_judges_figures_stand_side_by_side_and_say_if_the_order_differs(
    measured: Measured,
) -> None:
    first, second = measured.models[:2]
    ours = {(first.name, "llmc", OVERALL): cell(9, 0.8), (second.name, "llmc", OVERALL): cell(9)}
    two = replace(measured, models=(first, second), estimates=ours, other_judges=("zeta",))
    assert by_judge(replace(two, other_judges=())) is None

    def shown(*theirs: MetricCell) -> tuple[str, list[str]]:
        cells = {("zeta", model.name): of for model, of in zip(two.models, theirs, strict=False)}
        table = by_judge(replace(two, other_headlines=cells))
        assert table is not None
        assert table.headings == ("Model", measured.judge, "zeta")
        ours = (first.name, "0.80 (0.40 to 0.60)"), (second.name, "0.50 (0.40 to 0.60)")
        assert tuple(row[:2] for row in table.rows) == ours
        return table.title, [row[2] for row in table.rows]

    alike, low = "LLM Compliance by each judge", "0.40 (0.40 to 0.60)"
    less = cell(9, value=0.3, low=None)
    assert shown(cell(9, value=0.4), less) == (alike, [low, "0.30 (no interval)"])
    assert shown(cell(9, value=0.4)) == (alike, [low, "–"])  # one model has no order
    tied = [cell(9, value=0.4)] * 2
    assert shown(*tied) == ("Another judge, another order", [low] * 2)
