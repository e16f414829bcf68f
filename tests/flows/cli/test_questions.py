"""What a query reads is found before the warehouse is opened, or everything is made."""

from __future__ import annotations

import pytest

from flows.cli.questions import relations_named_by
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.raw_tables import row_types


class LookedUp(dict):
    """Empty tables that remember which were looked up."""

    def get(self, table, default=None):
        self[table] = True
        return default


@pytest.mark.parametrize(
    ("query", "tables"),
    [
        ("from raw.cases", {"cases"}),
        (
            'select count(*) from "raw"."cases" c join RAW . Responses on true',
            {"cases", "responses"},
        ),
        ("with c as (from raw.cases) select macros.is_compliant(5) from c", {"cases"}),
        ("-- none\nselect 1;", set()),
        ("pragma show_tables", set(row_types())),
        ("from duckdb_views() join raw.cases on true", set(row_types())),
        ("use raw; from cases", set(row_types())),
        ("from raw.cases; from raw.responses", set(row_types())),
    ],
)
def test_only_what_a_query_reads_is_looked_up(query: str, tables: set[str]) -> None:
    looked_up = LookedUp()
    with open_warehouse(looked_up, query=relations_named_by(query)) as connection:
        connection.execute(query)
    assert set(looked_up) == tables
