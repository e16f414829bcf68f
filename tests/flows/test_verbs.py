"""The verbs as Prefect runs them, one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.score import score
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import digests


def test_verbs_one_by_one_on_a_server_make_what_run_makes_without(
    prefect_harness: None, finished: RunSettings, tmp_path: Path
) -> None:
    """`finished` was made in one go by the flows as functions."""
    other = replace(finished, lake=str(tmp_path / "lake"))
    for verb in (ingest, build, infer, judge, score):
        verb(other)
    assert digests(other) == digests(finished)
