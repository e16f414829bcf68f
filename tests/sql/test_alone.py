"""Each relation of `sql/` can be read where of `raw` no more is made than it needs."""

from __future__ import annotations

import pytest

from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import SqlFile, sql_files

FILES = [file for file in sql_files() if not file.is_macro]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relation)
def test_each_relation_can_be_read_without_the_others(file: SqlFile) -> None:
    with open_warehouse({}, asked=f"from {file.relation}") as connection:
        connection.execute(f"from {file.relation} limit 1")
