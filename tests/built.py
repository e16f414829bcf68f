"""Ingest and a suite's build without flows."""

from __future__ import annotations

from tasks.build import build_shard, commit_step, step_shards
from tasks.ingest import ingest_filings
from tasks.lake.lake import Commit
from tasks.pipeline.clients import context_of
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings


def ingest_files(run: RunSettings) -> Commit:
    """Ingest the files of a run."""
    return ingest_filings.fn(resolve(run))


def build_steps(run: RunSettings, *names: str) -> None:
    """Run the steps of a build, or those named of them."""
    resolved, context = resolve(run), context_of(run)
    for step in resolved.build:
        sizes = [] if names and step.name not in names else step_shards(resolved, step)
        parts = [
            part
            for shard in range(len(sizes))
            for part in build_shard.fn(resolved, context, step, shard, len(sizes))
        ]
        if sizes:
            commit_step.fn(resolved, step, parts)
