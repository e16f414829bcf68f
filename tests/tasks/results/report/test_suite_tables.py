"""Tables that a suite adds to the page: their rows and words, and that they can be queried."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest

from tasks.results.report.measured import Measured
from tasks.results.report.suite_tables import suite_tables
from tasks.suites.page import ShownReport
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import report_of

SHOWN = ShownReport(
    "What was found",
    "In words.",
    {"Part": "slice", "Said": "said", "Number": "n", "Share": "part"},
)


def test_rows_are_those_of_the_release_and_of_the_pages_judge_in_plain_words(
    measured: Measured,
) -> None:
    words = replace(load_suite("faith").page, tables={"found": SHOWN, "nothing": SHOWN})
    faith = replace(measured, suite="faith", page=words, release="dev", judge="strict")
    with duckdb.connect() as warehouse:
        warehouse.execute(
            """create schema reports;
            create table reports.found as from (values
                ('dev', 'strict', 'overall', '<b>', 1234, 1e0),
                ('dev', 'official', 'overall', 'no', 1, 5e-1),
                ('old', 'strict', 'overall', 'no', 1, 5e-1),
                ('dev', 'strict', 'unit=per_share', repeat('9', 90), 2, null)
            ) as rows (release, judge, slice, said, n, part);
            create table reports.nothing as from reports.found where false"""
        )
        (table,) = suite_tables(warehouse, faith)
    assert (table.title, table.meaning) == ("What was found", "In words.")
    assert table.headings == ("Part", "Said", "Number", "Share")
    assert table.numbers == {"Number", "Share"}
    assert table.rows == (
        ("All", "<b>", "1,234", "1.00"),
        ("Unit of the figure: per share", f"{'9' * 80}…", "2", "–"),
    )


@pytest.mark.parametrize("name", SUITES)
def test_what_a_suite_shows_are_columns_of_its_own_reports(name: str) -> None:
    suite = load_suite(name)
    assert suite.page.tables.keys() <= set(suite.page.reports)
    for relation, shown in suite.page.tables.items():
        with open_warehouse({}, asked=f"from {report_of(name, relation)}") as warehouse:
            found = {
                column
                for column, *_ in warehouse.execute(
                    f"describe {report_of(name, relation)}"
                ).fetchall()
            }
        assert set(shown.columns.values()) <= found


def test_faith_shows_its_instances_scenarios_and_labels() -> None:
    shown = load_suite("faith").page.tables
    assert {"instances", "scenarios", "labels"} <= shown.keys()
