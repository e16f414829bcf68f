"""Checks that row types make by themselves: ids are unique, and parents exist.

`tasks.core.tables.table` says which column is a row's id, and which ones refer to other tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.tables import by_table, sql_columns, table_of

# Partition keys that a relation of `raw` adds to the row's own columns. Two suites of a release,
# and two releases of a lake, may have the same id.
KEYS = ("release", "suite")

_UNIQUE = """-- One row per id that two rows of a table share within a release (and suite).
with ids as (
    {selects}
)

select *, count(*) as n from ids
group by all
having n > 1
"""
_PARENTS = """-- One row per row whose parent is not in the release (and suite).
{selects}
"""


def row_checks(row_types: Iterable[type], every: Iterable[type]) -> dict[str, str]:
    """Return the SQL of the checks of some of all row types, by name."""
    some, tables = list(row_types), by_table(every)
    parents = [orphans for row_type in some for orphans in _orphans(row_type, tables)]
    checks = {"ids_are_unique": (_UNIQUE, list(_ids(some))), "parents_exist": (_PARENTS, parents)}
    return {
        name: text.format(selects="\nunion all\n".join(queries))
        for name, (text, queries) in checks.items()
        if queries
    }


def columns_of(row_type: type) -> dict[str, str]:
    """Return the columns of a relation of `raw` with their types: the row's, and missing keys."""
    typed = dict(sql_columns(row_type))
    for key in KEYS:
        if key in table_of(row_type).keys:
            typed.setdefault(key, "varchar")
    return typed


def _ids(row_types: Iterable[type]) -> Iterator[str]:
    for row_type in row_types:
        if column := table_of(row_type).id:
            yield f"select {_about(row_type, column)} from raw.{table_of(row_type).name} as own"


def _about(row_type: type, column: str) -> str:
    """Write the columns that say which row is guilty."""
    suite = "own.suite" if "suite" in columns_of(row_type) else "null"
    table = table_of(row_type).name
    return f"'{table}' as table_name, own.release, {suite} as suite, own.{column} as id"


def _orphans(row_type: type, tables: dict[str, type]) -> Iterator[str]:
    """Write a select of the rows without a parent for each column that refers to one."""
    table = table_of(row_type)
    typed = columns_of(row_type)
    shown = table.id or next(iter(typed))
    for column, reference in table.references.items():
        parent, _, its_id = reference.partition(".")
        keys = [key for key in KEYS if key in typed and key in columns_of(tables[parent])]
        own = f"raw.{table.name}"
        if typed[column].endswith("[]"):
            own = f"(select * replace (unnest({column}) as {column}) from {own})"
        same = " and ".join(f"own.{key} = parents.{key}" for key in keys)
        yield (
            f"select {_about(row_type, shown)}, own.{column} as parent_id from {own} as own "
            f"anti join raw.{parent} as parents on {same} and own.{column} = parents.{its_id} "
            f"where own.{column} is not null"
        )
