"""What the Prefect UI shows of a run besides its states: progress bars and report tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prefect import tags
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact

from tasks.settings import RunSettings
from tasks.store import Lake
from tasks.suites import load_suite
from tasks.warehouse import open_warehouse


@contextmanager
def tagged(run: RunSettings) -> Iterator[None]:
    """Tag every flow and task run of the block with release, suite and models."""
    with tags(f"release:{run.release}", f"suite:{run.suite}", *(f"model:{model}" for model in run.model)):
        yield


def artifact_key(*parts: str) -> str:
    """A key as Prefect wants them: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


def shards_with_progress(n_shards: int, *key: str, description: str) -> Iterator[int]:
    """Shard numbers, with a progress artifact that follows them."""
    if not n_shards:
        return
    artifact = create_progress_artifact(progress=0.0, key=artifact_key(*key), description=description)
    for shard in range(n_shards):
        yield shard
        update_progress_artifact(artifact, progress=100.0 * (shard + 1) / n_shards)


def publish_reports(run: RunSettings) -> Sequence[str]:
    """Every report of the suite as a table artifact; returns their keys."""
    keys = []
    with open_warehouse(Lake(run.lake).files(run.release), parameters={"beta": run.beta}) as warehouse:
        for report in load_suite(run.suite).reports:
            found = warehouse.execute(f"select * from reports.{report}")  # a file's name, not input
            names = [column[0] for column in found.description]
            rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
            key = artifact_key(run.release, run.suite, report)
            create_table_artifact(
                table=rows, key=key, description=f"{report} of {run.suite}, release {run.release}"
            )
            keys.append(key)
    return keys
