"""FAITH end to end on the packaged samples: from hidden figures to reports and the export."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from flows.benchmark import benchmark
from flows.cli.app import main
from tasks.core.ids import canonical_json
from tasks.core.rows import Context, QAPair
from tasks.lake.lake import Lake
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.results.publish.folder import publish
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tasks.suites.registry import load_suite
from tasks.suites.shared.tables.sheets import read_sheets
from tasks.warehouse.connection import open_warehouse
from tests.built import build_steps, ingest_files
from tests.scripted import Scripted
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


def test_the_samples_give_figures_of_several_scenarios(run: RunSettings) -> None:
    pairs = rows_of(run, QAPair)
    assert {pair.task for pair in pairs} == {"mask"}
    words = load_suite("faith").page
    assert {pair.task for pair in pairs} == words.asked.keys()
    assert {context.kind for context in rows_of(run, Context)} == {"tables"}
    assert all(pair.query.count("[MASK]") == 1 for pair in pairs)
    scenarios = {pair.traits["scenario"] for pair in pairs}
    assert {"direct lookup", "comparative"} <= scenarios


def test_a_stored_derivation_is_computed_again_from_the_cells_that_models_are_shown(
    run: RunSettings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    contexts = {context.context_id: context for context in rows_of(run, Context)}
    spans = {span.span_id: span for span in rows_of(run, MaskedSpan)}
    derivations = rows_of(run, Derivation)
    assert derivations
    for derivation in derivations:
        sheets = {
            sheet.index: sheet
            for sheet in read_sheets(contexts[spans[derivation.span_id].context_id].text)
        }
        for operand in derivation.operands:
            assert sheets[operand.table_index].cells[operand.row][operand.column] == operand.text
    assert warehouse.execute("select count(*) from faith.derivation_operands").fetchone() == (
        sum(len(derivation.operands) for derivation in derivations),
    )
    assert warehouse.execute("from faith.check_derivations_give_their_value").fetchall() == []


def test_both_suites_live_in_one_release_and_neither_remakes_the_other(
    run: RunSettings, finished: RunSettings, warehouse: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    lake = Lake(run.lake)
    assert has_nothing_to_do(lake, run)
    assert has_nothing_to_do(lake, replace(finished, lake=run.lake))
    measured = warehouse.execute("select distinct suite, metric from reports.metrics").fetchall()
    assert {("faith", "accuracy"), ("failsafeqa", "llmc")} <= set(measured)
    publish(lake, ["dev"], tmp_path / "published")
    card = (tmp_path / "published" / "README.md").read_text(encoding="utf-8")
    assert "zhang2025faith" in card
    assert "kamble2025failsafeqa" in card
    (file,) = (tmp_path / "published" / "faith").glob("*.parquet")
    published = {row["qa_pair_id"]: row for row in pq.read_table(file).to_pylist()}
    assert {pair.qa_pair_id: canonical_json(pair.traits) for pair in rows_of(run, QAPair)} == {
        name: row["traits"] for name, row in published.items()
    }
    assert all(row["evidence"][0]["heading"] == "Proof" for row in published.values())
    (other, *_) = (tmp_path / "published" / "failsafeqa").glob("*.parquet")
    assert "evidence" not in pq.read_schema(other).names


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


def test_a_panel_votes_on_each_figure_and_its_votes_are_kept(
    tmp_path: Path, faulty: Callable[..., Scripted]
) -> None:
    verdicts = {"one": "answerable", "two": "answerable", "three": "unanswerable"}
    for name, verdict in verdicts.items():
        faulty(name, [json.dumps({"reasoning": "so it is", "verdict": verdict})], identity=name)
    settings = settings_of(
        suite="faith",
        lake=str(tmp_path / "lake"),
        panel=("one", "two", "three"),
        limit=1,
        workers=1,
    )
    ingest_files(settings)
    build_steps(settings, "contexts", "qa_pairs")
    votes = rows_of(settings, Vote)
    assert {(vote.model, vote.is_answerable) for vote in votes} == {
        ("one", True),
        ("two", True),
        ("three", False),
    }
    assert {vote.span_id for vote in votes} <= {
        span.span_id for span in rows_of(settings, MaskedSpan)
    }
