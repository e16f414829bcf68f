"""FAITH end to end on the packaged samples: from hidden figures to reports and the export."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from tasks.core.rows import QAPair
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.connection import open_warehouse
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="module")
def run(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run of FAITH without a panel, in a release that holds FailSafeQA already."""
    lake = tmp_path_factory.mktemp("faith") / "lake"
    shutil.copytree(Lake(finished.lake).here, lake)
    settings = RunSettings(suite="faith", lake=str(lake), workers=1)
    with flows_as_functions():
        benchmark(settings)
    return settings


def rows_of(run: RunSettings, row_type: type) -> list:
    """The suite's rows of a type."""
    lake = Lake(run.lake)
    commits = [
        commit for commit in lake.commits(run.release) if commit.step.name.startswith("faith.")
    ]
    return [row for commit in commits for row in lake.read(commit, row_type)]


@pytest.fixture(scope="module")
def warehouse(run: RunSettings) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse(Lake(run.lake).files("dev"), parameters={"beta": 0.5}) as connection:
        yield connection


def test_both_suites_live_in_one_release_and_neither_remakes_the_other(
    run: RunSettings, finished: RunSettings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    lake = Lake(run.lake)
    assert has_nothing_to_do(lake, run)
    assert has_nothing_to_do(lake, replace(finished, lake=run.lake))
    measured = warehouse.execute("select distinct suite, metric from reports.metrics").fetchall()
    assert {("faith", "accuracy"), ("failsafeqa", "llmc")} <= set(measured)


def test_a_metric_is_explained_down_to_the_cells(
    run: RunSettings, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*tokens: str) -> str:
        with pytest.raises(SystemExit, match="0"):
            main(tokens)
        return str(capsys.readouterr().out)

    place = ["--suite", "faith", "--lake", run.lake, "--judge", "strict"]
    cell = json.loads(said("explain", "--metric", "accuracy", "--json", *place))
    assert cell["cell"]["n"] == len(rows_of(run, QAPair))
    monkeypatch.setenv("COLUMNS", "220")
    listed = said("explain", "--metric", "accuracy", *place)
    assert "; truth " in listed
    assert "baseline" not in listed
    (case,) = cell["units"][0]["cases"]
    (found,) = json.loads(said("explain", case["case_id"], "--json", *place))
    assert found["label"] == case["label"]
    assert "gives" in found["evidence"]["Proof"]
    shown = said("explain", case["case_id"], *place)
    assert "Proof" in shown


# --- what is refused ---------------------------------------------------------------------
