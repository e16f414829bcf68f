"""The SQL files of `sql/` as DuckDB relations.

`sql/<folder>/<name>.sql` is the relation `<folder>.<name>`: one `select` whose first line, a
comment, states the grain and becomes the relation's comment. `sql/macros/<name>.sql` is one
`create macro` statement; `suites.<folder>` is made of the files of a folder. Files may mention
each other's relations; they are made in the order in which they need each other.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from tasks.warehouse.raw_tables import literal, raw_relations

if TYPE_CHECKING:
    import duckdb

FOLDERS = ("macros", "staging", "verdicts", "scores", "metrics", "evidence", "suites", "reports", "checks")

# Folders with a file for each suite that has something to say there: `suites.<folder>` has the rows of all of them,
# so that what reads every suite's needs no change when there is one more.
_OF_SUITES = ("verdicts", "scores", "metrics", "evidence")

_COMMENT = re.compile(r"--[^\n]*")
_MACRO = re.compile(r"create\s+macro\s+macros\.(\w+)\s*\(", re.IGNORECASE)


class SqlFileError(Exception):
    """A file of `sql/` that cannot become a relation; the message names it."""


@dataclass(frozen=True, slots=True)
class SqlFile:
    """One file of `sql/`."""

    folder: str
    name: str
    text: str

    @property
    def relation(self) -> str:
        return f"{self.folder}.{self.name}"

    @property
    def path(self) -> str:
        return f"sql/{self.folder}/{self.name}.sql"

    @property
    def grain(self) -> str:
        """The first line's comment: what one row is."""
        return self.text.partition("\n")[0].removeprefix("--").strip()

    @property
    def statement(self) -> str:
        """The SQL without comments and closing semicolon."""
        return _COMMENT.sub("", self.text).strip().rstrip(";")


def sql_files(folders: Sequence[str] = FOLDERS) -> list[SqlFile]:
    """The files of `sql/`, folder by folder, by name."""
    found = {folder: _read(folder) for folder in {*folders, *_OF_SUITES} - {"suites"}}
    found["suites"] = [_union(found[folder]) for folder in _OF_SUITES]
    return [file for folder in folders for file in found[folder]]


def _read(folder: str) -> list[SqlFile]:
    entries = sorted(_entries(files("sql") / folder), key=lambda entry: entry.name)
    return [
        SqlFile(folder, entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in entries
    ]


def _union(of_suites: Sequence[SqlFile]) -> SqlFile:
    """The rows of every suite's file of a folder."""
    folder = of_suites[0].folder
    selects = "\nunion all by name\n".join(f"select * from {file.relation}" for file in of_suites)
    return SqlFile(
        "suites", folder, f"-- One row per row of the relations of `{folder}`, a suite's each.\n{selects}\n"
    )


def _entries(folder: Traversable) -> list[Traversable]:
    return [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]


def in_order(found: Sequence[SqlFile], asked: str | None = None) -> list[SqlFile]:
    """Files such that each comes after those whose relations it mentions.

    Args:
        asked: SQL; where it mentions some of the relations, or of `raw`, files that it does not need are left out.

    Raises:
        SqlFileError: files need each other in a circle.
    """
    by_relation = {file.relation: file for file in found}
    needs = {file.relation: mentioned(file.statement, by_relation) - {file.relation} for file in found}
    wanted = set() if asked is None else mentioned(asked, {*by_relation, *raw_relations()})
    waiting = sorted(wanted & by_relation.keys() if wanted else by_relation)
    sorter: TopologicalSorter[str] = TopologicalSorter()
    while waiting:
        relation = waiting.pop()
        needed = sorted(needs.pop(relation, ()))
        sorter.add(relation, *needed)
        waiting += [name for name in needed if name in needs]
    try:
        return [by_relation[name] for name in sorter.static_order()]
    except CycleError as circle:
        paths = " -> ".join(by_relation[name].path for name in circle.args[1])
        raise SqlFileError(f"these files need each other: {paths}") from circle


def mentioned(statement: str, relations: Container[str]) -> set[str]:
    """Those of the relations that a statement names."""
    return {name for name in _dotted_names(statement) if name in relations}


@lru_cache(maxsize=1024)  # all statements of the files are looked through whenever a warehouse is opened
def _dotted_names(statement: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b([a-z_]\w*\.[a-z_]\w*)\b", statement))


def create_relation(
    connection: duckdb.DuckDBPyConnection,
    file: SqlFile,
    parameters: Mapping[str, str | int | float] | None = None,
) -> None:
    """Make the relation, or macro, of one file; parameters as in `open_warehouse`.

    Raises:
        SqlFileError: the file is not what its place says; the message names it.
    """
    import duckdb

    if not file.text.startswith("-- "):
        raise SqlFileError(f"{file.path}: the first line must be a comment that states the grain")
    is_macro = file.folder == "macros"
    if is_macro:
        declared = _MACRO.match(file.statement)
        if declared is None or declared[1] != file.name:
            raise SqlFileError(f"{file.path} must be one `create macro macros.{file.name}(...)`")
        statement = file.statement
    else:
        statement = f"create view {file.relation} as\n{file.statement}"
    for name, value in (parameters or {}).items():
        variable = f"getvariable('{_identifier(name)}')"
        shown = literal(value) if isinstance(value, str) else repr(value)
        statement = statement.replace(variable, f"coalesce({variable}, {shown})")
    try:
        connection.execute(statement)
        if not is_macro:
            connection.execute(f"comment on view {file.relation} is {literal(file.grain)}")
    except duckdb.Error as error:
        raise SqlFileError(f"{file.path}: {error}") from error


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        raise ValueError(f"{name!r} cannot name anything in SQL")
    return name
