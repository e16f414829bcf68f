"""The SQL files of `sql/` as DuckDB relations.

`sql/<folder>/<name>.sql` is the relation `<folder>.<name>`: one `select` below a comment with its
grain, or one `create macro`. All suites share `macros`, `staging`, `reports` and `checks`. Each
suite also has a folder of its own name (`sql/README.md`). The schema `suites` unites these, for the
suites that a lake has: DuckDB plans every united suite anew in each query. A suite's
`check_<name>.sql` is a check like those in `checks`: each row is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import attrgetter
from typing import TYPE_CHECKING

from tasks.core.rows import ROW_TYPES
from tasks.suites.registry import SUITES, row_types_of
from tasks.warehouse.raw_tables import literal, row_types
from tasks.warehouse.row_checks import row_checks

if TYPE_CHECKING:
    import duckdb

_SHARED = ("macros", "staging", "reports", "checks")

# The relations that a suite has without a file of its own.
_OF_REPORTS = {
    "metrics": "One row per release, model, judge, metric and slice, as scored.",
    "leaderboard": "One row per release, judge and model: the metric that models are ranked by.",
}

# The columns of the relations that `suites` unites: a lake may have no suite with one.
_UNITED = {
    "units": "suite varchar, release varchar, case_id varchar, model varchar, other_model varchar, "
    "judge varchar, metric varchar, numerator double, denominator bigint",
    "headlines": "suite varchar, metric varchar",
    "parts": "suite varchar, release varchar, part_id varchar, case_id varchar, "
    "donor_group_number bigint, traits map(varchar, varchar)",
    "slices": "suite varchar, traits varchar[], is_compared boolean",
    "rating_classes": "release varchar, suite varchar, judge varchar, expected varchar, "
    "model varchar, rating varchar, n bigint, share double",
    "ratings": "release varchar, suite varchar, rater varchar, unit varchar, group_number bigint, "
    "label varchar",
    "own_work": "release varchar, suite varchar, rater varchar, measure varchar, unit varchar, "
    "group_number bigint, own double, others double",
    "evidence": "release varchar, suite varchar, qa_pair_id varchar, case_id varchar, "
    "heading varchar, place bigint, said varchar",
    "questions": "release varchar, suite varchar, qa_pair_id varchar, task varchar, "
    "stratum varchar, is_spare boolean, group_number bigint, query varchar, answer varchar, "
    "text varchar",
}

# Relations of a suite's folder that the page and the command line show, if there are such files.
REMARKS, PAPER_MODELS = "remarks", "paper_models"
SHOWN_TABLES, MARKS, CHANGES = "shown_tables", "marks", "changes"
SHOWN_BY_NAME = (REMARKS, PAPER_MODELS, SHOWN_TABLES, MARKS, CHANGES)


class SqlFileError(Exception):
    """A file of `sql/` cannot become a relation; the message names it."""


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
        """What one row is, from the comment on the first line."""
        return self.text.partition("\n")[0].removeprefix("--").strip()

    @property
    def statement(self) -> str:
        """The SQL without comments and closing semicolon."""
        return re.sub(r"--[^\n]*", "", self.text).strip().rstrip(";")

    @property
    def is_macro(self) -> bool:
        return self.statement.lower().startswith("create macro")

    @property
    def is_check(self) -> bool:
        return self.folder == "checks" or self.name.startswith("check_")


def sql_files() -> list[SqlFile]:
    """Read every SQL file, and add the relations derived from suites' files."""
    macros, staging, reports, checks = map(_read, _SHARED)
    of_rows = [SqlFile("checks", name, text) for name, text in _checks_of_rows(ROW_TYPES).items()]
    of_suites = [file for name in SUITES for file in _of_suite(name)]
    united_files = [united(name, SUITES) for name in _UNITED]
    every_check = sorted([*checks, *of_rows], key=attrgetter("name"))
    return [*macros, *staging, *of_suites, *united_files, *reports, *every_check]


def checks_of(suite: str) -> list[SqlFile]:
    """List the checks that a suite must pass: those of all suites, and its own."""
    return [file for file in sql_files() if file.is_check and file.folder in ("checks", suite)]


def schemas() -> list[str]:
    """List the schemas of the warehouse except `raw`."""
    return list(dict.fromkeys((*_SHARED, "suites", *SUITES)))


def variables_of(suite: str) -> set[str]:
    """Return the options that a suite's SQL reads by `getvariable`."""
    texts = "".join(file.text for file in _of_suite(suite))
    return set(re.findall(r"getvariable\('(\w+)'\)", texts))


def has_relation(suite: str, name: str) -> bool:
    """Tell whether a suite's folder has a file of this name."""
    return _folder_of(suite).joinpath(f"{name}.sql").is_file()


def report_of(suite: str, name: str) -> str:
    """Return a suite's own relation of a report, or the shared one."""
    return f"{suite}.{name}" if has_relation(suite, name) else f"reports.{name}"


def _of_suite(suite: str) -> list[SqlFile]:
    of_rows = _checks_of_rows(row_types_of(SUITES[suite]))
    texts = {
        name: f"-- {grain}\nselect * exclude (suite) from reports.{name} where suite = '{suite}'"
        for name, grain in _OF_REPORTS.items()
    }
    texts |= {f"check_{name}": text for name, text in of_rows.items()}
    texts |= {file.name: file.text for file in _read(suite)}
    return [SqlFile(suite, name, text) for name, text in sorted(texts.items())]


@cache
def _checks_of_rows(some: tuple[type, ...]) -> dict[str, str]:
    return row_checks(some, row_types().values())


def _folder_of(schema: str) -> Traversable:
    """Return a schema's folder: `sql/<schema>`, else `sql` in the package of the suite."""
    ours = files("sql") / schema
    return ours if ours.is_dir() else files(SUITES[schema]) / "sql"


@cache
def _read(folder: str) -> list[SqlFile]:
    texts = {
        entry.name.removesuffix(".sql"): entry.read_text(encoding="utf-8")
        for entry in _folder_of(folder).iterdir()
        if entry.name.endswith(".sql")
    }
    return [SqlFile(folder, name, text) for name, text in sorted(texts.items())]


def united(name: str, suites: Container[str | None]) -> SqlFile:
    """Unite the relations of one name over those of the suites that have one."""
    selects = [f"select unnest([]::struct({_UNITED[name]})[], recursive := true)"]  # no row
    selects += [
        f"select *, '{suite}' as suite from {suite}.{name}"
        if name == "units"
        else f"select * from {suite}.{name}"
        for suite in SUITES
        if suite in suites and has_relation(suite, name)
    ]
    text = "\nunion all by name\n".join(selects)
    grain = f"One row per row of `{name}` of any suite of the lake."
    return SqlFile("suites", name, f"-- {grain}\n{text}\n")


def in_order(some: Sequence[SqlFile], query: str | None = None) -> list[SqlFile]:
    """Sort files so that each comes after the files it refers to.

    Args:
        query: SQL that will run; files that it does not need are left out.
    """
    by_relation = {file.relation: file for file in some}
    needs = dict(_needs(tuple(some)))
    waiting = sorted(by_relation if query is None else mentioned(query, by_relation))
    sorter: TopologicalSorter[str] = TopologicalSorter()
    while waiting:
        relation = waiting.pop()
        needed = sorted(needs.pop(relation, ()))
        sorter.add(relation, *needed)
        waiting += [name for name in needed if name in needs]
    return [by_relation[name] for name in sorter.static_order()]


@lru_cache(maxsize=8)  # scanning all files takes a hundredth of a second
def _needs(some: tuple[SqlFile, ...]) -> dict[str, set[str]]:
    """Map each file's relation to the others that it names."""
    relations = {file.relation for file in some}
    return {file.relation: mentioned(file.statement, relations) - {file.relation} for file in some}


def mentioned(statement: str, relations: Container[str]) -> set[str]:
    """Return the relations that a statement names."""
    names = re.findall(r"\b([a-z_]\w*\.[a-z_]\w*)\b", statement)
    return {name for name in names if name in relations}


def create_relation(
    connection: duckdb.DuckDBPyConnection,
    file: SqlFile,
    parameters: Mapping[str, str | int | float] | None = None,
) -> None:
    """Create the relation or macro of one file; see `open_warehouse` for parameters."""
    import duckdb

    statement = file.statement
    if not file.is_macro:
        statement = (
            f"create or replace view {file.relation} as\n{statement};\n"
            f"comment on view {file.relation} is {literal(file.grain)}"
        )
    for name, value in (parameters or {}).items():
        variable = f"getvariable('{name}')"
        shown = literal(value) if isinstance(value, str) else repr(value)
        statement = statement.replace(variable, f"coalesce({variable}, {shown})")
    try:
        connection.execute(statement)
    except duckdb.Error as error:
        raise SqlFileError(f"{file.path}: {error}") from error
