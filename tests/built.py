"""Ingest, a suite's build and its answers without flows."""

from __future__ import annotations

from tasks.build import build_shard, commit_step, step_shards
from tasks.infer import infer_prefixes, infer_responses
from tasks.ingest import ingest_filings
from tasks.lake.lake import Commit
from tasks.models.catalogue import Shown
from tasks.pipeline.plan import plan_build, plan_ingest, plan_prefixes, plan_responses
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings


def ingest_files(run: RunSettings) -> Commit:
    """Ingest the files of a run."""
    resolved = resolve(run)
    return ingest_filings.fn(resolved, plan_ingest(resolved))


def build_steps(run: RunSettings, *names: str) -> None:
    """Run the steps of a build, or those named of them."""
    resolved = resolve(run)
    for step in resolved.build:
        if names and step.name not in names:
            continue
        planned = plan_build(resolved, step)
        sizes = step_shards(planned, step)
        parts = [
            part
            for shard in range(len(sizes))
            for part in build_shard.fn(resolved, planned, step, shard, len(sizes))
        ]
        if sizes:
            commit_step.fn(resolved, planned, step, parts)


def infer_heads(run: RunSettings, shown: Shown = "text") -> Commit:
    """Render the prefixes of a run's prompts."""
    resolved = resolve(run)
    return infer_prefixes.fn(resolved, plan_prefixes(resolved, shown), shown)


def infer_answers(run: RunSettings, model: str = "extractive") -> Commit:
    """Have a model answer a run's cases."""
    resolved = resolve(run)
    return infer_responses.fn(resolved, plan_responses(resolved, model), model)
