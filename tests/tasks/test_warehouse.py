"""The warehouse: Parquet as `raw`, files of `sql/` as relations."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks import schemas
from tasks.database import JournalError
from tasks.journal import Journal
from tasks.schemas import TABLES, Prefix, Request, Sampling
from tasks.warehouse import (
    FOLDERS,
    SqlFile,
    SqlFileError,
    create_relation,
    in_order,
    open_warehouse,
    partition_keys,
    sql_files,
)
from tests.journals import FAILURE, add, python

FILES = sql_files()


def write(root: Path, folder: str, *rows: object) -> str:
    path = root / folder / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    schema = schemas.arrow_schema(type(rows[0]))
    pq.write_table(pa.Table.from_pylist([schemas.to_record(row) for row in rows], schema=schema), path)
    return str(path)


def request(request_id: str, model: str) -> Request:
    return Request(
        request_id=request_id,
        case_id=None,
        subject_id="s",
        operation="answer",
        model=model,
        prefix_id="p",
        suffix="",
        fields=(),
        sampling=Sampling(temperature=0.0, max_tokens=1),
        prompt_sha256="",
        n_prompt_tokens=1,
        key=None,
        repairs=None,
        shard=0,
        seq=0,
    )


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse({}) as connection:
        yield connection


# --- raw --------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_files_has_its_columns(empty, table) -> None:
    assert empty.execute(f"from raw.{table}").fetchall() == []
    columns = [column[0] for column in empty.description]
    assert set(schemas.arrow_schema(TABLES[table]).names) | {"release"} <= set(columns)
    assert ("suite" in columns) == (table not in ("filings", "documents", "filing_tables"))


@pytest.mark.parametrize("table", TABLES)
def test_a_table_with_files_has_the_columns_and_types_of_the_empty_one(empty, tmp_path, table) -> None:
    path = tmp_path / "release=dev/suite=s/part-00000.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(schemas.arrow_schema(TABLES[table]).empty_table(), path)
    with open_warehouse({table: [str(path)]}, folders=()) as filled:
        assert (
            filled.execute(f"describe raw.{table}").fetchall()
            == empty.execute(f"describe raw.{table}").fetchall()
        )


def test_opening_does_not_import_pandas() -> None:
    code = "import sys; from tasks.warehouse import open_warehouse; open_warehouse({}); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_release_and_suite_come_from_the_path_as_text(tmp_path) -> None:
    prefix = Prefix(prefix_id="p", text="t", n_tokens=1)
    path = write(tmp_path, "prefixes/release=2026.10/suite=failsafeqa/operation=answer", prefix)
    with open_warehouse({"prefixes": [path]}, folders=()) as connection:
        found = connection.execute("select release, suite, prefix_id from raw.prefixes").fetchall()
    assert found == [("2026.10", "failsafeqa", "p")]


def test_files_of_different_partition_keys_are_one_table(tmp_path) -> None:
    answers = write(tmp_path, "requests/release=dev/suite=s/operation=answer/model=m", request("a", "m"))
    verdicts = write(
        tmp_path, "requests/release=dev/suite=s/operation=judge/model=j/candidate=m", request("v", "j")
    )
    with open_warehouse({"requests": [answers, verdicts]}, folders=()) as connection:
        found = connection.execute("select request_id, model from raw.requests order by 1").fetchall()
    assert found == [("a", "m"), ("v", "j")]


def test_a_column_of_the_file_is_not_overruled_by_its_folder(tmp_path) -> None:
    path = write(tmp_path, "requests/release=dev/suite=s/model=org%2Fname%20x", request("r", "org/name x"))
    with open_warehouse({"requests": [path]}, folders=()) as connection:
        assert connection.execute("select model from raw.requests").fetchall() == [("org/name x",)]


def test_a_path_with_quotes_and_a_key_with_escapes_are_read(tmp_path) -> None:
    prefix = Prefix(prefix_id="p", text="t", n_tokens=1)
    path = write(tmp_path / "Bob's lake", "prefixes/release=a%2Fb 'c'/suite=s", prefix)
    assert partition_keys(path)["release"] == "a/b 'c'"
    with open_warehouse({"prefixes": [path]}, folders=()) as connection:
        assert connection.execute("select release from raw.prefixes").fetchall() == [("a/b 'c'",)]


def test_files_of_another_time_are_read_by_the_columns_of_today(tmp_path) -> None:
    new = write(tmp_path, "prefixes/release=2026.11/suite=s", Prefix(prefix_id="new", text="b", n_tokens=1))
    old = tmp_path / "prefixes/release=2025.02/suite=s/part-0.parquet"
    old.parent.mkdir(parents=True)
    pq.write_table(pa.table({"gone": [1], "prefix_id": ["old"]}), old)
    for paths in ([new, str(old)], [str(old)]):
        with open_warehouse({"prefixes": paths}, folders=()) as connection:
            found = connection.execute("select * from raw.prefixes order by release").fetchall()
        assert found[0] == ("old", None, None, "2025.02", "s")
        assert found[1:] == [("new", "b", 1, "2026.11", "s")][: len(paths) - 1]


def test_no_extension_is_fetched(empty) -> None:
    settings = (
        "select name, value from duckdb_settings() where name like 'auto%known_extensions' order by name"
    )
    assert empty.execute(settings).fetchall() == [
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
    ]


def test_the_journal_is_a_table_of_purchases_without_pandas(journal: Journal) -> None:
    """In a program of its own, as `tenkbench sql` is: pandas takes half a second."""
    add(journal, "k1")
    asyncio.run(journal.add_charge("k2", FAILURE, model="m2", operation="judge"))
    code = """
import sys
from pathlib import Path
from tasks.journal import Journal
from tasks.warehouse import open_warehouse
connection = open_warehouse({}, journal=Journal(Path(sys.argv[1])))
print(connection.execute("select key, model, status, superseded_at is null, n_prompt, cost_usd from raw.journal").fetchall())
assert "pandas" not in sys.modules
"""
    said, problem = python(code, journal.path).communicate(timeout=60)
    assert literal_eval(said) == [
        ("k1", "m1", "ok", True, 25_001, 0.00125),
        ("k2", "m2", "error", False, None, None),
    ], problem


def test_without_a_journal_its_table_is_empty_with_the_same_columns(journal: Journal) -> None:
    columns = "describe raw.journal"
    with open_warehouse({}, journal=journal, folders=()) as connection:
        assert connection.execute("from raw.journal").fetchall() == []
        without = connection.execute(columns).fetchall()
    assert not journal.path.parent.exists()
    add(journal, "k1")
    with open_warehouse({}, journal=journal, folders=()) as connection:
        assert connection.execute(columns).fetchall() == without


def test_a_journal_that_cannot_be_read_is_told_in_a_sentence(journal: Journal) -> None:
    journal.path.parent.mkdir(parents=True)
    journal.path.write_bytes(b"not a database" * 1000)
    with pytest.raises(JournalError, match=r"journal\.sqlite is damaged"):
        open_warehouse({}, journal=journal, folders=())


@pytest.mark.parametrize(
    "query",
    [
        "from raw.journal",
        "select count(*) from raw.journal",
        "select 1 from raw.journal limit 1",
        "select key from raw.journal where attempts > 0",
        "from reports.spending",
        "from checks.dollars_add_up",
    ],
)
def test_where_it_is_not_needed_an_unreadable_journal_fails_what_reads_it_and_nothing_else(
    journal: Journal, query: str
) -> None:
    with open_warehouse({}, needs_journal=False) as without:
        columns = without.execute("describe raw.journal").fetchall()
    journal.path.parent.mkdir(parents=True)
    journal.path.write_bytes(b"it's no database" * 1000)
    with open_warehouse({}, journal=journal, needs_journal=False) as connection:
        with pytest.raises(duckdb.Error, match=r"journal\.sqlite is damaged .* it is left as it is"):
            connection.execute(query).fetchall()
        assert connection.execute("from metrics.failsafeqa").fetchall() == []
        assert connection.execute("describe raw.journal").fetchall() == columns


# --- files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.folder != "macros"], ids=lambda f: f.relation
)
def test_a_file_is_one_select_that_states_its_grain_and_ends_as_the_house_does(empty, file) -> None:
    assert file.grain.startswith("One row per ")
    assert file.grain.endswith(".")
    assert file.text == file.text.lower() or _is_lower_outside_quotes(file.text)
    last = [line for line in file.text.splitlines() if not line.startswith("order by")][-1]
    assert last.startswith("select * from ")
    comment = "select comment from duckdb_views() where schema_name = ? and view_name = ?"
    assert empty.execute(comment, [file.folder, file.name]).fetchall() == [(file.grain,)]


def _is_lower_outside_quotes(text: str) -> bool:
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return all(piece == piece.lower() for piece in code.split("'")[::2])


def test_every_folder_has_files_and_every_macro_is_there(empty) -> None:
    assert {file.folder for file in FILES} == set(FOLDERS)
    macros = "select function_name from duckdb_functions() where schema_name = 'macros' order by 1"
    assert [name for (name,) in empty.execute(macros).fetchall()] == [
        file.name for file in FILES if file.folder == "macros"
    ]


def test_files_come_after_those_that_they_mention_whatever_their_names() -> None:
    found = [
        SqlFile("reports", "a", "-- One row.\nselect * from reports.b join metrics.z using (x)"),
        SqlFile("reports", "b", "-- One row, unlike reports.a.\nselect * from metrics.z"),
        SqlFile("metrics", "z", "-- One row.\nselect 1 as x"),
    ]
    assert [file.relation for file in in_order(found)] == ["metrics.z", "reports.b", "reports.a"]


def test_what_is_asked_is_made_with_what_it_needs_and_no_more() -> None:
    asked = "select * from reports.robustness"
    with open_warehouse({}, asked=asked) as connection:
        made = connection.execute(
            "select view_name from duckdb_views() where schema_name = 'reports'"
        ).fetchall()
        connection.execute(asked)
    assert made == [("robustness",)]
    needed = [file.relation for file in in_order(FILES, asked)]
    assert needed[-1] == "reports.robustness"
    assert "metrics.failsafeqa" in needed


@pytest.mark.parametrize("asked", [None, "show all tables", "select 'reports.no_such'"])
def test_what_mentions_no_relation_has_all(asked: str | None) -> None:
    assert len(in_order(FILES, asked)) == len(FILES)


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.folder != "macros"], ids=lambda file: file.relation
)
def test_each_relation_can_be_made_without_the_others(file: SqlFile) -> None:
    with open_warehouse({}, asked=f"from {file.relation}") as connection:
        connection.execute(f"from {file.relation} limit 1")


def test_files_that_need_each_other_are_named() -> None:
    found = [
        SqlFile("reports", "a", "-- One row.\nselect * from reports.b"),
        SqlFile("reports", "b", "-- One row.\nselect * from reports.a"),
    ]
    with pytest.raises(
        SqlFileError,
        match=r"need each other: .*sql/reports/a\.sql -> sql/reports/b\.sql|.*b\.sql -> .*a\.sql",
    ):
        in_order(found)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (SqlFile("checks", "broken", "-- One row.\nselect nothing from nowhere"), r"sql/checks/broken\.sql: .*nowhere"),
        (SqlFile("checks", "broken", "-- One row.\nselec 1"), r"sql/checks/broken\.sql: .*selec"),
        (SqlFile("checks", "mute", "select 1"), r"sql/checks/mute\.sql: the first line must be a comment"),
        (SqlFile("macros", "one", "-- One.\ncreate macro macros.two(x) as x"), r"sql/macros/one\.sql must be one `create macro macros\.one"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_relation_is_named_in_the_error(empty, file, message) -> None:
    with pytest.raises(SqlFileError, match=message):
        create_relation(empty, file)


def test_a_parameter_stands_where_the_session_has_not_set_the_variable() -> None:
    with open_warehouse({}, parameters={"beta": 2.5}) as connection:
        assert connection.execute("select macros.beta()").fetchone() == (2.5,)
        connection.execute("set variable beta = 4")
        assert connection.execute("select macros.beta()").fetchone() == (4.0,)


def test_a_parameter_whose_name_is_no_name_is_refused() -> None:
    with pytest.raises(ValueError, match="beta; drop"):
        open_warehouse({}, parameters={"beta; drop": 1})
