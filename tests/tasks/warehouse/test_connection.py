"""The warehouse: a copy of a prepared database, with relations of `raw` of its own."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.rows import Prefix
from tasks.core.tables import arrow_schema, to_record
from tasks.warehouse import connection as warehouse
from tasks.warehouse import sql_files as relations
from tasks.warehouse.connection import keep_rows, open_warehouse
from tasks.warehouse.sql_files import SqlFile, in_order, sql_files

FILES = sql_files()

# The parameter `beta`, as the points of equal LLM Compliance have it.
BETA = """select sqrt((0.2 / context_grounding - 1) / 0.8)
from failsafeqa.equal_compliance where level = 0.2 and robustness = 1"""


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[SqlFile]:
    """The files of a prepared database: all of them would take more than a second."""
    files = in_order(FILES, "from reports.operations; from failsafeqa.equal_compliance")
    monkeypatch.setattr(warehouse, "sql_files", lambda *_: files)
    return files


def prefixes(folder: Path, *ids: str) -> dict[str, list[str]]:
    path = folder / "release=dev/suite=s/part-00000.parquet"
    path.parent.mkdir(parents=True)
    records = [to_record(Prefix(prefix_id=each, text="t", n_tokens=1)) for each in ids]
    pq.write_table(pa.Table.from_pylist(records, schema=arrow_schema(Prefix)), path)
    return {"prefixes": [str(path)]}


# --- what is asked


def test_of_raw_what_is_asked_is_made_and_the_rest_cannot_be_read() -> None:
    asked = "select * from raw.contexts"
    with open_warehouse({"documents": ["no such file"]}, query=asked) as connection:
        connection.execute(asked)
        with pytest.raises(duckdb.CatalogException, match="documents"):
            connection.execute("from raw.documents")


def test_without_a_query_all_is_there() -> None:
    assert in_order(FILES, "select 'reports.no_such'") == []
    assert len(in_order(FILES)) == len(FILES)
    with open_warehouse({}) as connection:
        assert connection.execute("select count(*) from raw.prefixes").fetchone() == (0,)


# --- the prepared database


def test_relations_are_made_once_and_then_copied(
    few: list[SqlFile], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[str] = []
    create = relations.create_relation
    monkeypatch.setattr(
        warehouse,
        "create_relation",
        lambda *given: (made.append(given[1].relation), create(*given)),
    )
    with (
        open_warehouse(prefixes(tmp_path / "a", "x"), parameters={"beta": 7}) as first,
        open_warehouse(prefixes(tmp_path / "b", "y"), parameters={"beta": 7}) as second,
    ):
        first.execute("create table mine as from raw.prefixes")
        assert len(made) == len(few)
        assert first.execute("select prefix_id from raw.prefixes").fetchall() == [("x",)]
        assert second.execute("select prefix_id from raw.prefixes").fetchall() == [("y",)]
        with pytest.raises(duckdb.CatalogException, match="mine"):
            second.execute("from mine")


def test_other_parameters_and_files_are_another_database(
    few: list[SqlFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_warehouse({}, parameters={"beta": 1.0}).close()
    with open_warehouse({}, parameters={"beta": 2.0}) as connection:
        assert connection.execute(BETA).fetchone() == pytest.approx((2.0,))
    more = [*few, SqlFile("reports", "another", "-- One row.\nselect 42 as x")]
    monkeypatch.setattr(warehouse, "sql_files", lambda *_: more)
    with open_warehouse({}, parameters={"beta": 2.0}) as connection:
        assert connection.execute("from reports.another").fetchone() == (42,)


def test_nothing_is_left_of_a_closed_warehouse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    connection = open_warehouse(prefixes(tmp_path / "a", "x"), query="from raw.prefixes")
    connection.close()
    del connection
    assert list(tmp_path.glob("tenkbench-*")) == []


def test_a_view_whose_rows_are_kept_is_not_made_again() -> None:
    with open_warehouse({}) as connection:
        keep_rows(connection, "failsafeqa.metrics")
        connection.execute("drop table raw.metrics")
        assert connection.execute("from failsafeqa.metrics").fetchall() == []
        assert connection.execute("from failsafeqa.robustness").fetchall() == []
        with pytest.raises(duckdb.CatalogException, match=r"metrics"):
            connection.execute("from faith.metrics")


# --- parameters


def test_a_parameter_stands_where_the_session_has_not_set_the_variable() -> None:
    with open_warehouse({}, parameters={"beta": 2.5}) as connection:
        assert connection.execute(BETA).fetchone() == pytest.approx((2.5,))
        connection.execute("set variable beta = 4")
        assert connection.execute(BETA).fetchone() == pytest.approx((4.0,))
