"""Tables of relations: what a suite adds to the page, and what is known of the judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tasks.results.report.measured import OVERALL, Measured, Row
from tasks.results.report.tables import REJECTED, PageTable, judge_tables, shown_table
from tasks.suites.registry import load_suite
from tasks.warehouse.comments import grains


def rows_of(columns: str, *rows: tuple[Any, ...]) -> list[Row]:
    return [dict(zip(columns.split(", "), row, strict=True)) for row in rows]


def test_rows_are_those_of_the_pages_judge_in_plain_words(measured: Measured) -> None:
    rows = rows_of(
        "release, judge, slice_by, slice_value, kind, n, flip_rate, low, high",
        ("dev", "strict", *OVERALL, "<b>", 1234, 1.0, 0.5, 1.0),
        ("dev", "official", *OVERALL, "no", 1, 0.5, None, None),
        ("dev", "strict", "unit", "per_share", "9" * 90, 2, None, None, None),
    )
    faith = replace(
        measured,
        suite=load_suite("faith"),
        judge="strict",
        reports={"reports.judge_repeats": rows, "reports.unscored_reasons": []},
    )
    assert shown_table(faith, "unscored_reasons") is None
    table = shown_table(faith, "judge_repeats")
    assert table is not None
    assert (table.title, table.meaning) == ("Judge repeats", grains()["reports.judge_repeats"])
    assert table.headings == ("Judge", "Slice value", "Kind", "Number", "Flip rate")
    assert set(table.numbers) == {"Number", "Flip rate"}
    assert {"Slice value", "Flip rate"} <= table.columns.keys()
    assert table.rows == (
        ("strict", "All", "<b>", "1,234", "1.00 (0.50 to 1.00)"),
        ("strict", "Unit of the figure: per share", f"{'9' * 80}…", "2", "–"),
    )


# --- judges ------------------------------------------------------------------------------

RELATIONS = {
    "judge_repeats": "judge, slice_by, slice_value, n, n_unscored, flip_rate, low, high",
    "judge_agreement": (
        "judge, other_judge, slice_by, slice_value, n, agreement, agreement_low, agreement_high, "
        "kappa, kappa_low, kappa_high"
    ),
    "judge_self_preference": "judge, other_judge, measure, n, self_preference, low, high",
    "judge_attacks": "judge, kind, n, n_resisted",
    "audit_agreement": (
        "rater, compared_with, other_rater, slice_by, slice_value, n, agreement, agreement_low, "
        "agreement_high, kappa, kappa_low, kappa_high, pearson, pearson_low, pearson_high, "
        "spearman, spearman_low, spearman_high, kendall, kendall_low, kendall_high"
    ),
    "unscored_reasons": "model, judge, variant, counted_as, unscored_reason, n",
    "rejects_by_reason": "stage, reason, n",
}


# Agreement, kappa, Pearson, Spearman and Kendall, each with its interval
Tables = Callable[..., dict[str, PageTable]]


@pytest.fixture
def tables(measured: Measured) -> Tables:
    def of(*rules: str, **given: list[tuple[Any, ...]]) -> dict[str, PageTable]:
        """Return the tables of these rows by title; relations that are not given have none."""
        found = {
            f"reports.{name}": rows_of(RELATIONS[name], *given.get(name, ())) for name in RELATIONS
        }
        found["reports.judges"] = [{"judge": rule, "is_rules": True} for rule in rules]
        about = replace(measured, reports=found)
        rejected = shown_table(about, REJECTED)
        return {table.title: table for table in [*judge_tables(about), *filter(None, [rejected])]}

    return of


def test_a_rule_has_no_flip_rate_and_no_self_preference(tables: Tables) -> None:
    rows = {
        "judge_repeats": [
            ("rules", *OVERALL, 100, 0, 0.0, 0.0, 0.18),
            ("j", *OVERALL, 100, 0, 0.0, 0.0, 0.18),
        ],
        "judge_self_preference": [
            ("rules", "j", "rating", 502, 0.13, 0.11, 0.15),
            ("j", "rules", "rating", 502, 1.4, 1.31, 1.5),
        ],
    }
    found = tables("rules", **rows)
    preference = found["Judge self preference"]
    assert [row[0] for row in preference.rows] == ["j"]
    assert "Judge self preference" not in tables("rules", "j", **rows)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_relations_have_the_columns_that_the_page_reads(warehouse: Any, relation: str) -> None:
    described = warehouse.execute(f"describe reports.{relation}").fetchall()
    assert set(RELATIONS[relation].split(", ")) <= {name for name, *_ in described}
