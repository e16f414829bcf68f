"""Each relation of `sql/` can be read where of `raw` no more is made than it needs."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tasks.warehouse.connection import _needed, open_warehouse
from tasks.warehouse.raw_tables import raw_relations
from tasks.warehouse.sql_files import SqlFile, sql_files


def alike() -> dict[frozenset[str], list[SqlFile]]:
    """The relations by what of `raw` is made for them."""
    found = defaultdict(list)
    for file in sql_files():
        if not file.is_macro:
            found[_needed(f"from {file.relation}")[1]].append(file)
    return found


def test_each_relation_can_be_read_without_the_others(subtests: pytest.Subtests) -> None:
    """Use one warehouse, and drop the raw tables that the query would not create."""
    with open_warehouse({}) as connection:
        for raw, files in alike().items():
            connection.begin()
            for relation in raw_relations() - raw:
                connection.execute(f"drop table {relation}")
            for file in files:
                with subtests.test(file.relation):
                    connection.execute(f"from {file.relation} limit 1")
            connection.rollback()
