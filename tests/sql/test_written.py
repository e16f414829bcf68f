"""The warehouse as a file: what any DuckDB makes of it, without this project."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.warehouse.connection import write_warehouse
from tasks.warehouse.sql_files import SqlFile, SqlFileError, sql_files
from tests.some import some
from tests.sql.conftest import HandmadeLake


@pytest.fixture
def written(lake: HandmadeLake, tmp_path: Path) -> Path:
    lake.add_pair("a")
    lake.add_pair("b")
    lake.judge(
        "a", dict.fromkeys(("baseline", "misspelled", "incomplete", "out_of_domain", "ocr"), 5)
    )
    lake.judge("b", {"baseline": 2, "ocr": 5, "missing_context": 6, "irrelevant_context": 6})
    target = tmp_path / "warehouse.duckdb"
    write_warehouse(
        target, lake.write(), journal=ResponseCache(lake.journal), parameters={"beta": 3.0}
    )
    return target


def elsewhere(database: Path, statement: str, folder: Path) -> list[dict[str, Any]]:
    """What another process in another folder, which has only DuckDB, is answered."""
    code = (
        "import duckdb, json, sys\n"
        "with duckdb.connect(sys.argv[1], read_only=True) as connection:\n"
        "    found = connection.execute(sys.argv[2])\n"
        "    names = [column[0] for column in found.description]\n"
        "    print(json.dumps([dict(zip(names, row)) for row in found.fetchall()], default=str))"
    )
    command = [sys.executable, "-P", "-c", code, str(database), statement]
    return json.loads(
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    )


def test_another_process_in_another_folder_reads_it(
    lake: HandmadeLake, written: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    query = "select * from failsafeqa.metrics order by all"
    with lake.open(parameters={"beta": 3.0}) as connection:
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    assert rows
    assert elsewhere(written, query, tmp_path / "elsewhere") == rows


def test_every_relation_is_there_with_its_grain(written: Path) -> None:
    with duckdb.connect(written, read_only=True) as connection:
        comments = dict(
            connection.execute(
                "select schema_name || '.' || view_name, comment "
                "from duckdb_views() where not internal"
            ).fetchall()
        )
        for file in some(file for file in sql_files() if not file.is_macro):
            assert comments[file.relation] == file.grain
            connection.execute(f"describe {file.relation}")


def test_the_weight_of_the_run_stays_until_the_session_sets_another(written: Path) -> None:
    with duckdb.connect(written, read_only=True) as connection:
        assert connection.execute("select failsafeqa.beta()").fetchone() == (3.0,)
        connection.execute("set variable beta = 0.5")
        assert connection.execute("select failsafeqa.beta()").fetchone() == (0.5,)


def test_what_the_ledger_keeps_is_copied(
    lake: HandmadeLake, bought: Callable[..., Any], tmp_path: Path
) -> None:
    lake.buy(bought("a"), bought("b"))
    target = tmp_path / "warehouse.duckdb"
    write_warehouse(target, lake.write(), journal=ResponseCache(lake.journal), parameters={})
    with duckdb.connect(target, read_only=True) as connection:
        assert connection.execute("select count(*) from raw.journal").fetchone() == (2,)


def test_who_has_the_older_file_open_keeps_it(lake: HandmadeLake, written: Path) -> None:
    with duckdb.connect(written, read_only=True) as older:
        write_warehouse(
            written, lake.write(), journal=ResponseCache(lake.journal), parameters={"beta": 7.0}
        )
        assert older.execute("select failsafeqa.beta()").fetchone() == (3.0,)
    with duckdb.connect(written, read_only=True) as newer:
        assert newer.execute("select failsafeqa.beta()").fetchone() == (7.0,)


def test_a_file_that_cannot_be_finished_leaves_the_older_one(
    lake: HandmadeLake, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = written.read_bytes()
    broken = SqlFile("reports", "broken", "-- One row.\nselec 1")
    monkeypatch.setattr("tasks.warehouse.connection.sql_files", lambda *_: [broken])
    with pytest.raises(SqlFileError, match=r"sql/reports/broken\.sql"):
        write_warehouse(written, lake.write(), journal=ResponseCache(lake.journal), parameters={})
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.glob("*warehouse*")] == ["warehouse.duckdb"]
