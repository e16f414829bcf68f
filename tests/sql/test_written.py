"""The warehouse as a file: what any DuckDB makes of it, without this project."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.scoring.results import results_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse, write_warehouse
from tasks.warehouse.sql_files import SqlFile, SqlFileError, sql_files
from tests.scored import as_tables
from tests.some import some
from tests.sql.conftest import HandmadeLake, rated

RELATIONS = """select schema_name || '.' || {0}_name, comment
from duckdb_{0}s() where not internal"""
# The parameter `beta`, as the points of equal LLM Compliance have it.
BETA = """select sqrt((0.2 / context_grounding - 1) / 0.8)
from failsafeqa.equal_compliance where level = 0.2 and robustness = 1"""


def with_results(lake: HandmadeLake) -> dict[str, list[str]]:
    """Score the lake, and return the files of its tables."""
    with open_warehouse(lake.write()) as connection, as_tables(connection):
        results = results_of(
            connection,
            load_suite("failsafeqa"),
            "dev",
            options={"beta": 2.0},
            version=1,
            tenkbench="test",
        )
    lake.add(*results.result_sets, *results.metrics)
    return lake.write()


@pytest.fixture(scope="module")
def lake_and_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[HandmadeLake, Path]:
    folder = tmp_path_factory.mktemp("written")
    lake = HandmadeLake(folder)
    for name, ratings in {"a": (5, 5, 5, 5, 5), "b": (2, None, None, None, 5, 6, 6)}.items():
        lake.add_pair(name)
        lake.judge(name, rated(*ratings))
    target, journal = folder / "warehouse.duckdb", ResponseCache(lake.journal)
    write_warehouse(target, with_results(lake), journal=journal, parameters={"beta": 2.0})
    return lake, target


@pytest.fixture
def scored(lake_and_file: tuple[HandmadeLake, Path]) -> HandmadeLake:
    """The lake of the file; no test changes it."""
    return lake_and_file[0]


@pytest.fixture
def written(lake_and_file: tuple[HandmadeLake, Path], tmp_path: Path) -> Path:
    """A copy of the file, which names the lake's parts by their full paths."""
    return Path(shutil.copy(lake_and_file[1], tmp_path))


def rows_of(found: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


ELSEWHERE = f"""
import duckdb, json, sys
from typing import Any
{inspect.getsource(rows_of)}
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    print(json.dumps(rows_of(connection.execute(sys.argv[2])), default=str))
"""


def elsewhere(database: Path, statement: str, folder: Path) -> list[dict[str, Any]]:
    """What another process in another folder, which has only DuckDB, is answered."""
    command = [sys.executable, "-P", "-c", ELSEWHERE, str(database), statement]
    return json.loads(subprocess.check_output(command, cwd=folder, text=True))


def test_another_process_in_another_folder_reads_it(
    scored: HandmadeLake, written: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    for query in ("from reports.metrics", "from staging.sums order by all"):
        with open_warehouse(scored.write()) as connection:
            rows = rows_of(connection.execute(query))
        assert rows
        assert elsewhere(written, query, tmp_path / "elsewhere") == rows


def test_every_relation_is_there_with_its_grain_and_reports_are_tables(written: Path) -> None:
    with duckdb.connect(written, read_only=True) as connection:
        views, tables = (
            dict(connection.execute(RELATIONS.format(kind)).fetchall())
            for kind in ("view", "table")
        )
        computed = {"reports.explain", "reports.release_rows"}
        reports = {file.relation for file in sql_files() if file.folder == "reports"}
        assert {name for name in tables if not name.startswith("raw.")} == reports - computed
        for file in some(file for file in sql_files() if not file.is_macro):
            assert (views | tables)[file.relation] == file.grain
            connection.execute(f"describe {file.relation}")


def test_a_report_needs_no_file_of_the_lake(
    scored: HandmadeLake, written: Path, tmp_path: Path
) -> None:
    away = shutil.move(scored.root / "metrics", tmp_path)
    try:
        with duckdb.connect(written, read_only=True) as connection:
            assert connection.execute("from reports.metrics").fetchall()
            with pytest.raises(duckdb.IOException):
                connection.execute("from raw.metrics")
    finally:
        shutil.move(away, scored.root)


def test_the_weight_of_the_run_stays_until_the_session_sets_another(written: Path) -> None:
    """It draws the curves; the metrics have been computed."""
    metrics = "select value from failsafeqa.metrics where metric = 'llmc'"
    with duckdb.connect(written, read_only=True) as connection:
        before = connection.execute(metrics).fetchall()
        assert before
        assert connection.execute(BETA).fetchone() == pytest.approx((2.0,))
        connection.execute("set variable beta = 0.5")
        assert connection.execute(BETA).fetchone() == pytest.approx((0.5,))
        assert connection.execute(metrics).fetchall() == before


def test_a_file_that_cannot_be_finished_leaves_the_older_one(
    scored: HandmadeLake, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = written.read_bytes()
    broken = SqlFile("reports", "broken", "-- One row.\nselec 1")
    monkeypatch.setattr("tasks.warehouse.connection.sql_files", lambda *_: [broken])
    with pytest.raises(SqlFileError, match=r"sql/reports/broken\.sql"):
        write_warehouse(
            written, scored.write(), journal=ResponseCache(scored.journal), parameters={}
        )
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.glob("*warehouse*")] == ["warehouse.duckdb"]


# No file gets longer than this, as on a disk that is almost full.
NO_ROOM = """
import resource, signal
from tasks.lake.lake import LakeError
from tasks.warehouse.connection import open_warehouse
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    open_warehouse({})
except LakeError as error:
    print(error)
"""


def test_no_room_for_temporary_files_is_told(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.check_output([sys.executable, "-c", NO_ROOM], env=environment, text=True)
    assert said.startswith(f"cannot make {tmp_path}/tenkbench-warehouse-")
    assert "with the variable TMPDIR" in said
    assert not [*tmp_path.glob("tenkbench-*")]
