"""Comments on relations and columns: what an analyst reads beside a name.

A relation's comment is the grain in its SQL file or row type. A column's is the most specific of:
the relation's section in `sql/columns.toml` (for a suite's relation also that of its name in
`suites` or `checks`), the `#` comment at the field of its row type, the section `columns`, and the
`#` comment at the first field of that name. So a row type describes its columns once.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.inference.cache.response_cache import Purchase
from tasks.suites.registry import SUITES
from tasks.warehouse.raw_tables import GIVEN, literal, row_types
from tasks.warehouse.sql_files import sql_files

if TYPE_CHECKING:
    import duckdb

_OF_ALL = "columns"  # section of `sql/columns.toml` for every relation

_CLASS = re.compile(r"class (\w+)")
_FIELD = re.compile(r"    (\w+): [^#]*(?:# (.*))?")
_ABOVE = re.compile(r"    # (.*)")

_RELATIONS = """
select 'table' as kind, schema_name || '.' || table_name as relation, comment is null as is_bare
from duckdb_tables() where not internal
union all
select 'view', schema_name || '.' || view_name, comment is null
from duckdb_views() where not internal
"""
_COLUMNS = """
select schema_name || '.' || table_name, column_name
from duckdb_columns() where not internal and comment is null
"""


def add_comments(connection: duckdb.DuckDBPyConnection) -> None:
    """Comment on each relation and column that has no comment yet."""
    statements = []
    for kind, relation, is_bare in connection.execute(_RELATIONS).fetchall():
        if is_bare and relation in grains():
            statements.append(f"comment on {kind} {relation} is {literal(grains()[relation])}")
    for relation, column in connection.execute(_COLUMNS).fetchall():
        if comment := meaning(relation, column):
            statements.append(f'comment on column {relation}."{column}" is {literal(comment[1])}')
    connection.execute(";\n".join(statements))


@cache
def grains() -> dict[str, str]:
    """Return what one row of each relation is, in the order of the README."""
    of_raw = {
        f"raw.{table}": (row_type.__doc__ or "").partition("\n")[0]
        for table, row_type in _row_types().items()
    }
    return of_raw | {file.relation: file.grain for file in sql_files() if not file.is_macro}


@cache
def meaning(relation: str, column: str) -> tuple[str, str] | None:
    """Return which section or row type describes a relation's column, and how; None if none does.

    The source is `columns`, `<schema>.<relation>` of the dictionary, or `raw.<table>`.
    """
    for source, described in _sources(relation):
        if text := described.get(column):
            return source, text
    return None


def _sources(relation: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield what may describe a relation's columns, the most specific first."""
    schema, _, name = relation.partition(".")
    yield relation, dictionary().get(relation, {})
    if schema in SUITES:
        for section in (f"suites.{name}", f"checks.{name.removeprefix('check_')}"):
            yield section, dictionary().get(section, {})
    yield f"raw.{name}", fields().get(f"raw.{name}", {})
    yield _OF_ALL, dictionary()[_OF_ALL]
    package = f"{SUITES[schema]}." if schema in SUITES else ""
    types = _row_types().items()  # the suite's own before the others
    for table, _ in sorted(types, key=lambda item: not item[1].__module__.startswith(package)):
        yield f"raw.{table}", fields()[f"raw.{table}"]


@cache
def dictionary() -> dict[str, dict[str, str]]:
    """Read `sql/columns.toml`: section -> column -> meaning."""
    sections = tomllib.loads(files("sql").joinpath("columns.toml").read_text(encoding="utf-8"))
    of_all = {_OF_ALL: sections.pop(_OF_ALL)}
    return of_all | {
        f"{schema}.{relation}": columns
        for schema, relations in sections.items()
        for relation, columns in relations.items()
    }


@cache
def fields() -> dict[str, dict[str, str]]:
    """Read the comments at row types' fields: `raw.<table>` -> column -> meaning."""
    return {
        f"raw.{table}": _comments_of(row_type.__module__).get(row_type.__name__, {})
        for table, row_type in _row_types().items()
    }


@cache
def _row_types() -> dict[str, type]:
    return {**row_types(), "journal": Purchase, **GIVEN}


@cache
def _comments_of(module: str) -> dict[str, dict[str, str]]:
    """Read the comments above and behind annotated names: class -> name -> text."""
    by_class: dict[str, dict[str, str]] = {}
    described: dict[str, str] = {}
    above: list[str] = []
    for line in Path(sys.modules[module].__file__ or "").read_text(encoding="utf-8").splitlines():
        if declared := _CLASS.match(line):
            described = by_class.setdefault(declared[1], {})
        elif field := _FIELD.fullmatch(line):
            if text := " ".join([*above, field[2] or ""]).strip():
                described[field[1]] = text
        elif line and not line.startswith(" "):
            described = {}  # a field belongs to the class whose lines are indented
        comment = _ABOVE.fullmatch(line)
        above = [*above, comment[1]] if comment else []
    return by_class
