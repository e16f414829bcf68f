"""`raw`: a lake's Parquet and its journal, as relations."""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.rows import Prefix, Request, Sampling
from tasks.core.tables import arrow_schema, to_record
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tasks.lake.lake import ConcurrentChange, Lake
from tasks.lake.records import LakeStep
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.raw_tables import row_types
from tests.journals import FAILURE, add, charged, python
from tests.tasks.core.test_rows import row_of

TABLES = row_types()


def write(root: Path, folder: str, *rows: object) -> str:
    path = root / folder / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    schema = arrow_schema(type(rows[0]))
    pq.write_table(pa.Table.from_pylist([to_record(row) for row in rows], schema=schema), path)
    return str(path)


def request(request_id: str, model: str) -> Request:
    full: Request = row_of(Request, is_full=True)
    return replace(full, request_id=request_id, model=model, operation="answer")


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse({}) as connection:
        yield connection


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_files_has_its_columns(empty, table) -> None:
    assert empty.execute(f"from raw.{table}").fetchall() == []
    columns = [column[0] for column in empty.description]
    assert set(arrow_schema(TABLES[table]).names) | {"release"} <= set(columns)
    assert ("suite" in columns) == (table not in ("filings", "documents", "filing_tables"))


@pytest.mark.parametrize("table", TABLES)
def test_a_table_with_files_has_the_columns_and_types_of_the_empty_one(
    empty, tmp_path, table
) -> None:
    path = tmp_path / "release=dev/suite=s/part-00000.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(arrow_schema(TABLES[table]).empty_table(), path)
    with open_warehouse({table: [str(path)]}) as filled:
        assert (
            filled.execute(f"describe raw.{table}").fetchall()
            == empty.execute(f"describe raw.{table}").fetchall()
        )


def test_opening_imports_neither_pandas_nor_arrow(tmp_path) -> None:
    parts = {"requests": [write(tmp_path, "release=dev/suite=s", request("r", "m"))]}
    code = (
        "import sys; from tasks.warehouse.connection import open_warehouse; "
        f"open_warehouse({parts!r}); assert not {{'pandas', 'pyarrow'}} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "text", ["0", "2018-01-01", "NULL", "org/name x", "a+b", "ünï", "100%", "Bob's"]
)
def test_a_column_that_the_folder_says_is_its_text(tmp_path, text) -> None:
    lake = Lake(tmp_path / "model=other/release=old/text=x/lake")
    step = LakeStep("2018", "infer")
    keys = {"suite": "s", "operation": "answer", "model": text, "candidate": "none"}
    part = lake.write(step, {}, Request, [request("r", text)], **keys)
    lake.commit(step, {}, [part])
    with open_warehouse(lake.files()) as connection:
        query = (
            "select release, suite, model from raw.requests where model = ? and release = '2018'"
        )
        assert connection.execute(query, [text]).fetchall() == [("2018", "s", text)]


def test_files_of_another_time_are_read_by_the_columns_of_today(tmp_path) -> None:
    new = write(
        tmp_path, "prefixes/release=2026.11/suite=s", Prefix(prefix_id="new", text="b", n_tokens=1)
    )
    old = tmp_path / "prefixes/release=2025.02/suite=s/part-0.parquet"
    old.parent.mkdir(parents=True)
    pq.write_table(pa.table({"gone": [1], "prefix_id": ["old"]}), old)
    for paths in ([new, str(old)], [str(old)]):
        with open_warehouse({"prefixes": paths}) as connection:
            found = connection.execute(
                "select prefix_id, system, text, release, suite from raw.prefixes order by release"
            ).fetchall()
        assert found[0] == ("old", None, None, "2025.02", "s")
        assert found[1:] == [("new", None, "b", "2026.11", "s")][: len(paths) - 1]


def test_a_field_of_a_struct_that_older_files_lack_is_read_of_newer_ones(tmp_path) -> None:
    sampling = Sampling(temperature=1.0, max_tokens=1, top_p=0.5)
    new = write(
        tmp_path, "requests/release=b/suite=s", replace(request("new", "m"), sampling=sampling)
    )
    record = to_record(request("old", "m"))
    del record["sampling"]["top_p"]
    old = tmp_path / "requests/release=a/suite=s/part-0.parquet"
    old.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([record]), old)
    with open_warehouse({"requests": [str(old), new]}) as connection:
        found = connection.execute(
            "select request_id, sampling.top_p from raw.requests order by release"
        ).fetchall()
    assert found == [("old", None), ("new", 0.5)]


def test_a_part_that_is_gone_is_told_with_what_to_do(tmp_path) -> None:
    with pytest.raises(
        ConcurrentChange, match=r"part-00000\.parquet is gone: another run has replaced it"
    ):
        open_warehouse({"prefixes": [str(tmp_path / "release=dev/suite=s/part-00000.parquet")]})


def test_no_extension_is_fetched(empty) -> None:
    settings = (
        "select name, value from duckdb_settings() "
        "where name like 'auto%known_extensions' order by name"
    )
    assert empty.execute(settings).fetchall() == [
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
    ]


def test_the_journal_is_a_table_of_purchases_without_pandas(journal: ResponseCache) -> None:
    """In a program of its own, as `tenkbench sql` is: pandas takes half a second."""
    add(journal, "k1")
    journal.store(charged("k2", FAILURE, model="m2", operation="judge")).result()
    code = """
import sys
from pathlib import Path
from tasks.inference.cache.response_cache import ResponseCache
from tasks.warehouse.connection import open_warehouse
connection = open_warehouse({}, journal=ResponseCache(Path(sys.argv[1])))
query = "select key, model, status, superseded_at is null, n_prompt, cost_usd from raw.journal"
print(connection.execute(query).fetchall())
assert "pandas" not in sys.modules
"""
    said, problem = python(code, journal.path).communicate(timeout=240)
    assert literal_eval(said) == [
        ("k1", "m1", "ok", True, 25_001, 0.00125),
        ("k2", "m2", "error", False, None, None),
    ], problem


def test_a_journal_that_cannot_be_read_is_told_in_a_sentence(journal: ResponseCache) -> None:
    journal.path.parent.mkdir(parents=True)
    journal.path.write_bytes(b"not a database" * 1000)
    with pytest.raises(CacheError, match=r"journal\.sqlite: file is not a database"):
        open_warehouse({}, journal=journal)
