"""Flow: a suite's build, from documents to cases."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.build import build_shard, commit_step, step_shards
from tasks.core.prefect_engine import flow
from tasks.core.progress import in_parts
from tasks.pipeline.clients import running
from tasks.pipeline.resolved import resolve


@flow(name="build", flow_run_name="build {run.release} {run.suite}")
def build(run: Run) -> None:
    """Write a suite's cases for a release."""
    resolved = resolve(run)
    with followed(run, "build"), running(run) as context:
        for step in resolved.build:
            sizes = step_shards(resolved, step)
            if not sizes:
                continue
            parts = []
            # a shard's calls depend on the answers; its rows do not
            for shard in in_parts(f"{step.name}: rows read", range(len(sizes)), sizes):
                parts += build_shard(resolved, context, step, shard, len(sizes))
            commit_step(resolved, step, parts)
