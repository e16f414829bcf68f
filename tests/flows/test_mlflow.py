"""A release's metrics in MLflow, in a store on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli.mlflow_export import export_to_mlflow
from tasks.core.rows import Metric
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import rows_of


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MLFLOW_ALLOW_FILE_STORE", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    file = tmp_path / "report.html"
    file.write_text("the page")
    return file


def test_a_run_has_the_metrics_with_intervals_the_params_and_the_page(
    finished: RunSettings, page: Path, tmp_path: Path
) -> None:
    import mlflow

    store = "sqlite:///../runs.db"
    (run_id,) = export_to_mlflow(finished.lake, "dev", "failsafeqa", page, store)
    client = mlflow.MlflowClient(store)
    run = client.get_run(run_id)
    assert run.info.status == "FINISHED"
    assert run.data.params.pop("engine").split()[0] == "extractive"
    assert run.data.params == {
        "release": "dev",
        "suite": "failsafeqa",
        "model": "extractive",
        "judge": "extractive",
        "is_baseline": "True",
    }
    assert [file.path for file in client.list_artifacts(run_id)] == ["report.html"]
    rows = [row for row in rows_of(finished, Metric) if row.value is not None]
    for row in rows:
        if row.slice_by == "overall":
            assert run.data.metrics[row.metric] == row.value
            assert run.data.metrics.get(f"{row.metric}.low") == row.low
            assert run.data.metrics.get(f"{row.metric}.high") == row.high
            assert run.data.metrics[f"{row.metric}.n"] == row.n
    named = [name for name in run.data.metrics if not name.endswith((".low", ".high", "n", "ed"))]
    assert len(named) <= len(rows) == sum(name.endswith(".n") for name in run.data.metrics)
    export_to_mlflow(finished.lake, "dev", "failsafeqa", page, store)  # another run of it
    assert len(client.search_runs([run.info.experiment_id])) == 2
    assert [*Path().iterdir()] == []  # no `mlruns`
    assert {file.name for file in tmp_path.iterdir() if file.name.startswith("runs")} == {
        "runs.db",
        "runs-artifacts",
    }
