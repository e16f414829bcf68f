"""Tables of relations: what a suite adds to the page, and what is known of the judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import duckdb
import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.results.report.measured import Measured
from tasks.results.report.tables import REJECTED, Table, judge_tables, shown_tables
from tasks.suites.page import ShownReport
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import report_of

SHOWN = ShownReport(
    relation="found",
    title="What was found",
    meaning="In words.",
    columns={"Part": "slice", "Said": "said", "Number": "n", "Share": ("part", "low", "high")},
    only={"kind": "wanted"},
)


def test_rows_are_those_of_the_release_and_of_the_pages_judge_in_plain_words(
    measured: Measured,
) -> None:
    faith = replace(measured, suite=load_suite("faith"), release="dev", judge="strict")
    with duckdb.connect() as warehouse:
        warehouse.execute(
            """create schema reports;
            create table reports.found as from (values
                ('dev', 'strict', 'wanted', 'overall', '<b>', 1234, 1e0, 5e-1, 1e0),
                ('dev', 'strict', 'other', 'overall', '<b>', 1234, 1e0, 5e-1, 1e0),
                ('dev', 'official', 'wanted', 'overall', 'no', 1, 5e-1, null, null),
                ('old', 'strict', 'wanted', 'overall', 'no', 1, 5e-1, null, null),
                ('dev', 'strict', 'wanted', 'unit=per_share', repeat('9', 90), 2, null, null, null)
            ) as rows (release, judge, kind, slice, said, n, part, low, high);
            create table reports.nothing as from reports.found where false"""
        )
        nothing = replace(SHOWN, relation="nothing")
        (table,) = shown_tables(warehouse, faith, [SHOWN, nothing])
    assert (table.title, table.meaning) == ("What was found", "In words.")
    assert table.headings == ("Part", "Said", "Number", "Share")
    assert table.numbers == {"Number", "Share"}
    assert table.rows == (
        ("All", "<b>", "1,234", "1.00 (0.50 to 1.00)"),
        ("Unit of the figure: per share", f"{'9' * 80}…", "2", "–"),
    )


# --- judges ------------------------------------------------------------------------------

RELATIONS = {
    "judge_repeats": "judge, slice, n, n_unscored, flip_rate, ci_low, ci_high",
    "judge_agreement": (
        "judge, other_judge, slice, n, agreement, agreement_low, "
        "agreement_high, kappa, kappa_low, kappa_high"
    ),
    "judge_self_preference": "judge, other_judge, measure, n, self_preference, ci_low, ci_high",
    "judge_attacks": "judge, kind, n, n_resisted",
    "audit_agreement": (
        "rater, compared_with, other_rater, slice, n, agreement, agreement_low, agreement_high, "
        "kappa, kappa_low, kappa_high, pearson, pearson_low, pearson_high, spearman, spearman_low, "
        "spearman_high, kendall, kendall_low, kendall_high"
    ),
    "judge_confusion": "judge, other_judge, rating, other_rating, n",
    "unscored_reasons": "model, judge, variant, unscored_reason, n",
    "rejects_by_reason": "stage, reason, n",
}


# Agreement, kappa, Pearson, Spearman and Kendall, each with its interval
_CORRELATIONS = (
    "0.9, 0.8, 0.95, 0.7, 0.6, 0.8, 0.84, 0.74, 0.94, 0.85, 0.75, 0.95, 0.79, 0.69, 0.89"
)


@pytest.fixture
def reports() -> Iterator[Any]:
    """A warehouse whose trial relations are given by each test; none has rows at first."""
    with duckdb.connect() as connection:
        connection.execute("create schema reports")
        for relation, columns in RELATIONS.items():
            nothing = ", ".join(f"null as {column.strip()}" for column in columns.split(","))
            connection.execute(
                f"create view reports.{relation} as select 'dev' as release, "
                f"'failsafeqa' as suite, {nothing} limit 0"
            )
        yield connection


def give(connection: Any, relation: str, *rows: str) -> None:
    """Make a relation of these rows, each written as SQL values."""
    connection.execute(
        f"create or replace view reports.{relation} as select 'dev' as release, "
        f"'failsafeqa' as suite, * from (values {', '.join(rows)}) as given ({RELATIONS[relation]})"
    )


Tables = Callable[..., dict[str, Table]]


@pytest.fixture
def tables(measured: Measured) -> Tables:
    def of(connection: Any, *rules: str) -> dict[str, Table]:
        dev = replace(measured, release="dev", rule_judges=frozenset(rules))
        return {table.title: table for table in judge_tables(connection, dev)}

    return of


def test_a_judge_that_was_never_tried_has_no_tables(reports: Any, tables: Tables) -> None:
    assert tables(reports) == {}


def test_repeats_tell_all_answers_and_each_rubric(reports: Any, tables: Tables) -> None:
    give(
        reports,
        "judge_repeats",
        "('j', 'overall', 1303, 2, 0.04, 0.01, 0.09)",
        "('j', 'rubric=missing_context', 200, 0, null, null, null)",
        "('j', 'model=m', 100, 0, 0.5, 0.4, 0.6)",
    )
    found = tables(reports)["The same judge, asked twice"]
    assert found.rows == (
        ("j", "All", "1,303", "2", "0.04 (0.01 to 0.09)"),
        ("j", "Rubric: missing context", "200", "0", "–"),
    )
    assert found.numbers == {"Answers", "Unscored", "Flip rate"}


def test_a_value_without_an_interval_stands_alone(reports: Any, tables: Tables) -> None:
    give(reports, "judge_agreement", "('j', 'k', 'overall', 20, 1.0, 0.8, 1.0, 1.0, null, null)")
    (row,) = tables(reports)["Two judges on the same answers"].rows
    assert row == ("j", "k", "All", "20", "1.00 (0.80 to 1.00)", "1.00")


def test_attacks_are_counted_by_judge_and_kind(reports: Any, tables: Tables) -> None:
    give(
        reports,
        "judge_attacks",
        "('j', 'empty refusal', 5, 4)",
        "('j', 'very long', 2, 2)",
        "('k', 'empty refusal', 5, 1)",
    )
    found = tables(reports)["Answers written to deceive the judge"]
    assert found.rows == (
        ("j", "empty refusal", "5", "4"),
        ("j", "very long", "2", "2"),
        ("k", "empty refusal", "5", "1"),
    )


def test_answers_without_a_verdict_and_rejects_are_told_in_words(
    reports: Any, tables: Tables, measured: Measured
) -> None:
    give(reports, "unscored_reasons", "('m', 'j', 'out_of_domain', 'no verdict', 7)")
    assert tables(reports)["Answers that could not be judged"].rows == (
        ("m", "j", "Out of domain", "no verdict", "7"),
    )
    give(reports, "rejects_by_reason", "('qa_pairs', 'no figure', 1200)")
    (rejected,) = shown_tables(reports, replace(measured, release="dev"), [REJECTED])
    assert rejected.rows == (("no figure", "qa pairs", "1,200"),)


def test_ratings_of_two_judges_make_a_square(reports: Any, tables: Tables) -> None:
    give(
        reports,
        "judge_confusion",
        "('j', 'k', 6, 5, 1200)",
        "('j', 'k', 6, null, 3)",
        "('j', 'k', null, 1, 2)",
    )
    found = tables(reports)["Ratings of one judge against the other's"]
    assert found.headings == ("j \\ k", "1", "5", "6", "unscored")
    assert found.rows[2] == ("6", "0", "1,200", "0", "3")
    assert found.rows[3] == ("unscored", "2", "0", "0", "0")


def test_another_release_is_left_out(reports: Any, measured: Measured) -> None:
    give(reports, "judge_attacks", "('j', 'empty refusal', 5, 4)")
    assert judge_tables(reports, replace(measured, release="2026.11")) == []


def test_people_are_compared_with_the_judge(reports: Any, tables: Tables) -> None:
    give(
        reports,
        "audit_agreement",
        f"('ann', 'judge', 'j', 'overall', 100, {_CORRELATIONS})",
        f"('ann', 'auditor', 'bob', 'overall', 40, {_CORRELATIONS})",
    )
    (row,) = tables(reports)["People against the judge"].rows
    assert row[:4] == ("ann", "j", "All", "100")
    assert row[4:] == (
        "0.90 (0.80 to 0.95)",
        "0.70 (0.60 to 0.80)",
        "0.84 (0.74 to 0.94)",
        "0.85 (0.75 to 0.95)",
        "0.79 (0.69 to 0.89)",
    )


def test_people_are_compared_with_each_other_in_a_table_of_their_own(
    reports: Any, tables: Tables
) -> None:
    give(
        reports,
        "audit_agreement",
        f"('all auditors', 'judge', 'j', 'overall', 80, {_CORRELATIONS})",
        f"('ann', 'auditor', 'bob', 'overall', 40, {_CORRELATIONS})",
    )
    found = tables(reports)["People against people"]
    assert [row[:4] for row in found.rows] == [("ann", "bob", "All", "40")]
    assert found.headings[:4] == (
        "Auditor",
        "Other auditor",
        "Part",
        "Answers",
    )  # counted twice for all auditors


def test_a_rule_has_no_flip_rate_and_no_self_preference(
    reports: Any, tables: Tables, snapshot: SnapshotAssertion
) -> None:
    give(
        reports,
        "judge_repeats",
        "('rules', 'overall', 100, 0, 0.0, 0.0, 0.18)",
        "('j', 'overall', 100, 0, 0.0, 0.0, 0.18)",
    )
    give(
        reports,
        "judge_self_preference",
        "('rules', 'j', 'rating', 502, 0.13, 0.11, 0.15)",
        "('j', 'rules', 'rating', 502, 1.4, 1.31, 1.5)",
    )
    found = tables(reports, "rules")
    assert [table.meaning for table in found.values()] == snapshot
    preference = found["A judge on its own answers"]
    assert [row[0] for row in preference.rows] == ["j"]
    assert "A judge on its own answers" not in tables(reports, "rules", "j")


def test_a_rule_that_flipped_is_a_fault_and_shown(reports: Any, tables: Tables) -> None:
    give(reports, "judge_repeats", "('rules', 'overall', 100, 0, 0.02, 0.0, 0.18)")
    (row,) = tables(reports, "rules")["The same judge, asked twice"].rows
    assert row[-1] == "0.02 (0.00 to 0.18)"


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_relations_have_the_columns_that_the_page_reads(warehouse: Any, relation: str) -> None:
    columns = {row[0] for row in warehouse.execute(f"describe reports.{relation}").fetchall()}
    assert {column.strip() for column in RELATIONS[relation].split(",")} <= columns


# --- suites ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUITES)
def test_what_a_suite_shows_are_columns_of_its_own_reports(name: str) -> None:
    suite = load_suite(name)
    shown_reports = [
        shown
        for section in suite.page.sections
        for shown in section.shows
        if isinstance(shown, ShownReport)
    ]
    for shown in shown_reports:
        relation = shown.relation
        with open_warehouse({}, asked=f"from {report_of(name, relation)}") as warehouse:
            found = {
                column
                for column, *_ in warehouse.execute(
                    f"describe {report_of(name, relation)}"
                ).fetchall()
            }
        assert set(shown.columns.values()) <= found


def test_faith_shows_its_instances_scenarios_and_labels() -> None:
    (details,) = load_suite("faith").page.sections
    shown = {each.relation for each in details.shows if isinstance(each, ShownReport)}
    assert {"instances", "scenarios", "labels"} <= shown
