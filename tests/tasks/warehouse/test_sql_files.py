"""Files of `sql/` as relations: what they must be, and in which order they are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tasks import scoring
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import (
    SqlFile,
    SqlFileError,
    create_relation,
    in_order,
    mentioned,
    schemas,
    sql_files,
)

FILES = sql_files()


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse({}) as connection:
        yield connection


@pytest.mark.parametrize(
    "file", [file for file in FILES if not file.is_macro], ids=lambda f: f.relation
)
def test_a_file_is_one_select_that_states_its_grain(empty, file) -> None:
    assert file.grain.startswith("One row per ")
    assert file.grain.endswith(".")
    assert file.text == file.text.lower() or _is_lower_outside_quotes(file.text)
    comment = "select comment from duckdb_views() where schema_name = ? and view_name = ?"
    assert empty.execute(comment, [file.folder, file.name]).fetchall() == [(file.grain,)]


def _is_lower_outside_quotes(text: str) -> bool:
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return all(piece == piece.lower() for piece in code.split("'")[::2])


def test_every_folder_has_files_and_every_macro_is_there(empty) -> None:
    assert {file.folder for file in FILES} == set(schemas())
    macros = "select schema_name || '.' || function_name from duckdb_functions() where not internal"
    assert sorted(name for (name,) in empty.execute(macros).fetchall()) == sorted(
        file.relation for file in FILES if file.is_macro
    )


def test_files_come_after_those_that_they_mention_whatever_their_names() -> None:
    found = [
        SqlFile("reports", "a", "-- One row.\nselect * from reports.b join metrics.z using (x)"),
        SqlFile("reports", "b", "-- One row, unlike reports.a.\nselect * from metrics.z"),
        SqlFile("metrics", "z", "-- One row.\nselect 1 as x"),
    ]
    assert [file.relation for file in in_order(found)] == ["metrics.z", "reports.b", "reports.a"]


def test_results_name_the_relations_that_they_are_computed_from() -> None:
    """`staging.shared_units` is for changes between releases, which are not stored."""
    files = Path(scoring.__path__[0]).glob("[a-z]*.py")
    texts = [file.read_text(encoding="utf-8") for file in files]
    read = mentioned("\n".join(texts), {file.relation for file in FILES})
    named = {file.relation for file in in_order(FILES, " ".join(scoring.COUNTED))}
    assert read > set(scoring.COUNTED)
    assert read - named == {"staging.shared_units"}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (SqlFile("checks", "broken", "-- One row.\nselect nothing from nowhere"),
         r"sql/checks/broken\.sql: .*nowhere"),
        (SqlFile("checks", "broken", "-- One row.\nselec 1"), r"sql/checks/broken\.sql: .*selec"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_relation_is_named_in_the_error(empty, file, message) -> None:
    with pytest.raises(SqlFileError, match=message):
        create_relation(empty, file)
