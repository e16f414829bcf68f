"""Flow: a suite's build, from documents to cases."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.build import build_shard, commit_step, step_shards
from tasks.core.prefect_engine import flow
from tasks.core.progress import in_parts
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import plan_build


@flow(name="build", flow_run_name="build {run.release} {run.suite}")
def build(run: Run) -> None:
    """Write a suite's cases for a release."""
    with followed(run), opened(run) as resolved:
        for step in resolved.build:
            planned = plan_build(resolved, step)
            sizes = step_shards(planned, step)
            parts = []
            # a shard's calls depend on the answers; its rows do not
            for shard in in_parts(f"{step.name}: rows read", range(len(sizes)), sizes):
                parts += build_shard(resolved, planned, step, shard, len(sizes))
            if sizes:
                commit_step(resolved, planned, step, parts)
