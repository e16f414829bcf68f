"""Tables of relations: what a suite adds to the page, and what is known of the judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.results.report.measured import OVERALL, Measured, Row
from tasks.results.report.tables import OF_JUDGES, judge_tables, shown_table
from tasks.suites.registry import load_suite
from tasks.warehouse.comments import grains


def rows_of(columns: str, *rows: tuple[Any, ...]) -> list[Row]:
    return [dict(zip(columns.split(", "), row, strict=True)) for row in rows]


def test_rows_are_those_of_the_pages_judge_in_plain_words(measured: Measured) -> None:
    rows = rows_of(
        "release, judge, slice_by, slice_value, kind, n, flip_rate, low, high",
        ("dev", "strict", *OVERALL, "<b>", 1234, 1.0, 0.5, 1.0),
        ("dev", "official", *OVERALL, "no", 1, 0.5, None, None),
        ("dev", "strict", "unit", "per_share", "9" * 210, 2, None, None, None),
    )
    reports = {"reports.judge_repeats": rows, "reports.unscored_reasons": []}
    faith = replace(measured, suite=load_suite("faith"), judge="strict", reports=reports)
    assert shown_table(faith, "unscored_reasons") is None
    table = shown_table(faith, "judge_repeats")
    assert table is not None
    grain = grains()["reports.judge_repeats"].replace("release, suite, ", "")
    assert (table.title, table.meaning) == ("Judge repeats", grain)
    assert table.headings == ("Judge", "Slice", "Kind", "Number", "Flip rate")
    assert set(table.numbers) == {"Number", "Flip rate"}
    assert {"Slice", "Flip rate"} <= table.columns.keys()
    assert table.rows == (
        ("strict", "All", "<b>", "1,234", "1.00 (0.50 to 1.00)"),
        ("strict", "Unit of the figure: per share", f"{'9' * 200}…", "2", "–"),
    )


def test_a_rule_has_no_self_preference(measured: Measured) -> None:
    rows = rows_of(
        "judge, other_judge, measure, n, self_preference, low, high",
        ("rules", "j", "rating", 502, 0.13, 0.11, 0.15),
        ("j", "rules", "rating", 502, 1.4, 1.31, 1.5),
    )
    empty: dict[str, list[Row]] = {relation: [] for relation in OF_JUDGES}
    judges = [{"judge": "rules", "is_rules": True}]
    reports = empty | {"reports.judges": judges, "reports.judge_self_preference": rows}
    (table,) = judge_tables(replace(measured, reports=reports))
    assert [row[0] for row in table.rows] == ["j"]
