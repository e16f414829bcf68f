"""Export of a release's metrics to MLflow: one run for each model and judge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tasks.core.errors import RunFailed
from tasks.lake.lake import Lake
from tasks.pipeline.settings import place_options
from tasks.results.opened import rows_of
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models

_NOT_IN_NAMES = re.compile(r"[^\w\-./ ]")  # MLflow refuses these in a metric's name
_AT_ONCE = 1_000  # metrics that MLflow takes in one call
_SQLITE = "sqlite:///"
_QUERY = """
    select metrics.*, tested.engine, tested.is_baseline, models.own_prompts
    from reports.metrics as metrics
    left join reports.tested_models as tested using (release, suite, model)
    left join raw.models as models using (release, suite, model)
    where release = $release and suite = $suite and value is not null
    order by judge, model, metric, slice_by, slice_value
"""


def export_to_mlflow(
    lake: str,
    release: str,
    suite: str,
    page: Path,
    tracking_uri: str | None,
    judge: str | None = None,
) -> list[str]:
    """Log each model's metrics as each judge has rated it: an experiment for each judge.

    Returns the ids of the runs. Models that nothing scores are left out.

    Args:
        page: the report, an artifact of each run.
        tracking_uri: where MLflow keeps runs; None: where its own settings say.
        judge: the only one whose metrics to log.

    Raises:
        RunFailed: MLflow is not installed or fails, or the release is not scored.
    """
    try:
        import mlflow
        from mlflow.exceptions import MlflowException
    except ImportError as missing:
        raise RunFailed(
            "MLflow is not installed. Install it beside tenkbench:\n"
            "    pip install 'tenkbench[mlflow]'"
        ) from missing
    runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    held = Lake(lake).as_of_now()
    models = lake_models(held, release)
    with open_warehouse(held.files(release), models=models, query=_QUERY) as warehouse:
        for row in rows_of(warehouse, _QUERY, {"release": release, "suite": suite}):
            if judge in (None, row["judge"]):
                runs.setdefault((row["model"], row["judge"]), []).append(row)
    if not runs:
        raise RunFailed(
            f"Release '{release}' has no metrics of '{suite}'. Score it first:\n"
            f"    tenkbench score{place_options(lake=lake, release=release, suite=suite)}"
        )
    ids: list[str] = []
    uri = tracking_uri or mlflow.get_tracking_uri()
    try:
        client = mlflow.MlflowClient(uri)
        for (model, by), rows in runs.items():
            # MLflow lists an experiment's runs as one table, with a column a metric
            named = f"tenkbench {suite} by {by}"
            known = client.get_experiment_by_name(named)
            experiment = (
                known.experiment_id if known else client.create_experiment(named, _beside(uri))
            )
            run = client.create_run(experiment, run_name=f"{release}: {model} by {by}")
            _log(client, run.info.run_id, rows)
            client.log_artifact(run.info.run_id, str(page))
            client.set_terminated(run.info.run_id)
            ids.append(run.info.run_id)
    except MlflowException as failed:
        raise RunFailed(
            f"MLflow failed: {failed}\nIt writes to a server or a database, not to a folder:\n"
            f"    tenkbench export mlflow --to {_SQLITE}mlflow.db"
        ) from failed
    return ids


def _beside(uri: str) -> str | None:
    """Return a folder beside an SQLite file for its artifacts; None: where a server keeps them.

    MLflow's own choice is `mlruns` in the current folder.
    """
    if not uri.startswith(_SQLITE):
        return None
    file = Path(uri.removeprefix(_SQLITE)).resolve()
    return file.with_name(f"{file.stem}-artifacts").as_uri()


def _log(client: Any, run_id: str, rows: list[dict[str, Any]]) -> None:
    """Log params, and each metric with its interval and counts; `variant/ocr/compliance`."""
    from mlflow.entities import Metric, Param

    logged: dict[str, float] = {}
    for row in rows:
        is_whole = row["slice_by"] == "overall"
        slice_of = () if is_whole else (row["slice_by"], row["slice_value"])
        name = _NOT_IN_NAMES.sub("_", "/".join((*slice_of, row["metric"])))
        for part in ("value", "low", "high", "n", "n_unscored"):
            if row[part] is not None:
                logged[name if part == "value" else f"{name}.{part}"] = float(row[part])
    params = [
        Param(name, str(rows[0][name]))
        for name in ("release", "suite", "model", "judge", "engine", "is_baseline", "own_prompts")
        if rows[0][name] is not None
    ]
    client.log_batch(run_id, params=params)
    metrics = [Metric(name, value, 0, 0) for name, value in logged.items()]
    for start in range(0, len(metrics), _AT_ONCE):
        client.log_batch(run_id, metrics=metrics[start : start + _AT_ONCE])
