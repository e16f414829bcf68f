"""Each relation of `sql/` can be read where of `raw` no more is made than it needs."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tasks.warehouse.connection import _needed, open_warehouse
from tasks.warehouse.sql_files import SqlFile, sql_files


def alike() -> list[list[SqlFile]]:
    """The relations, together where the same is made for each: they share a warehouse."""
    found = defaultdict(list)
    for file in sql_files():
        if not file.is_macro:
            files, raw = _needed(f"from {file.relation}")
            united = frozenset(each.relation for each in files if each.folder == "suites")
            found[raw, united].append(file)
    return list(found.values())


def test_each_relation_can_be_read_without_the_others(subtests: pytest.Subtests) -> None:
    for files in alike():  # no parameters: each test worker would look for them
        with (
            subtests.test(files[0].relation),
            open_warehouse({}, asked=f"from {files[0].relation}") as connection,
        ):
            for file in files:
                connection.execute(f"from {file.relation} limit 1")
