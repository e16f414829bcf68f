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
    with open_warehouse({}) as connection:
        yield connection


def test_every_relation_and_column_has_a_comment(empty: duckdb.DuckDBPyConnection) -> None:
    relations = empty.execute(RELATIONS).fetchall()
    columns = empty.execute(COLUMNS).fetchall()
    assert len(relations) > 100
    assert len(columns) > 1000
    assert [name for name, comment in relations if not comment] == []
    assert [DISPLAY.format(*column) for *column, comment in columns if not comment] == []


def test_the_dictionary_has_no_entry_that_no_relation_uses(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    columns = [(relation, column) for relation, column, _ in empty.execute(COLUMNS).fetchall()]
    used = {
        (source[0], column)
        for relation, column in columns
        if (source := meaning(relation, column)) is not None
    }
    described = {(section, column) for section, of in dictionary().items() for column in of}
    assert described - used == set()


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
        ("faith.derivation_operands", "operation", "raw.derivations"),
        ("staging.calls", "operation", "raw.requests"),
    ],
)
def test_the_most_specific_meaning_counts(relation: str, column: str, source: str) -> None:
    described = meaning(relation, column)
    assert described is not None
    assert described[0] == source


def test_fields_have_the_comments_above_and_behind_them() -> None:
    described = fields()["raw.filings"]
    assert set(described) <= set(Filing.__dataclass_fields__)
    assert described["cik"] == "the SEC's number of the company, without leading zeros"
    above = fields()["raw.comparisons"]["minimum_detectable_difference"]
    assert above.startswith("difference that a test at 5 %")
    assert "key" not in fields()["raw.journal"]  # `Request` describes it
