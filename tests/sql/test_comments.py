"""Comments: every relation and column has one, and the dictionary describes nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tasks.core.rows import Filing
from tasks.warehouse.comments import dictionary, fields, meaning
from tasks.warehouse.connection import open_warehouse

COLUMNS = """
select schema_name || '.' || table_name as relation, column_name, comment
from duckdb_columns() where not internal
"""
RELATIONS = """
select schema_name || '.' || table_name, comment from duckdb_tables() where not internal
union all
select schema_name || '.' || view_name, comment from duckdb_views() where not internal
"""
DISPLAY = "{}.{}: write its comment at the field of its row type, or a line in sql/columns.toml"


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse({}, asked="select comment") as connection:
        yield connection


def without_comment(connection: duckdb.DuckDBPyConnection) -> list[str]:
    relations = connection.execute(RELATIONS).fetchall()
    columns = connection.execute(COLUMNS).fetchall()
    assert len(relations) > 100
    assert len(columns) > 1000
    return [name for name, comment in relations if not comment] + [
        DISPLAY.format(relation, column) for relation, column, comment in columns if not comment
    ]


def test_every_relation_and_column_has_a_comment(empty: duckdb.DuckDBPyConnection) -> None:
    assert without_comment(empty) == []


def test_the_dictionary_has_no_entry_that_no_relation_uses(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    found = [
        (meaning(relation, column), column)
        for relation, column, _ in empty.execute(COLUMNS).fetchall()
    ]
    used = {(each.source, column) for each, column in found if each is not None}
    unused = [
        f"[{section}] {column}"
        for section, described in dictionary().items()
        for column in described
        if (section, column) not in used
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("relation", "column", "source"),
    [
        ("raw.filings", "cik", "raw.filings"),  # the comment at the field
        ("raw.documents", "filing_id", "raw.filings"),  # the first field of that name
        ("raw.cases", "release", "columns"),  # a partition key has no field
        ("reports.judges", "model", "columns"),
        ("reports.judges", "n", "reports.judges"),
        ("faith.units", "case_id", "suites.units"),
        ("staging.judgements", "details", "raw.judgements"),  # the table of the same name
        ("faith.check_scenarios_fit_their_operation", "operation", "raw.derivations"),
        ("staging.calls", "operation", "raw.requests"),
    ],
)
def test_the_most_specific_meaning_counts(relation: str, column: str, source: str) -> None:
    found = meaning(relation, column)
    assert found is not None
    assert found.source == source


def test_fields_have_the_comments_above_and_behind_them() -> None:
    described = fields()["raw.filings"]
    assert set(described) <= set(Filing.__dataclass_fields__)
    assert described["cik"] == "the SEC's number of the company, without leading zeros"
    above = fields()["raw.comparisons"]["minimum_detectable_difference"]
    assert above.startswith("difference that a test at 5 %")
    assert "key" not in fields()["raw.journal"]  # `Request` describes it
