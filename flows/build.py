"""Flow: documents -> contexts -> question-answer pairs -> cases."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import followed
from flows.parameters import Run
from tasks.build import (
    build_cases,
    build_contexts,
    build_dataset,
    build_qa_pairs,
    commit_qa_pairs,
    pair_shards,
)
from tasks.core.progress import Whole
from tasks.inference.context import running
from tasks.suites.registry import load_suite


@flow(name="build", flow_run_name="build {run.release} {run.suite}")
def build(run: Run) -> None:
    """Write a suite's cases for a release."""
    with followed(run, "build"), running(run) as context:
        if run.dataset is not None:
            build_dataset(run)
            return
        build_contexts(run)
        parts = []
        sizes = pair_shards(run)
        # how many calls a context takes depends on the answers; how many contexts there are does not
        whole = Whole("contexts with their pairs written", sizes, in_calls=False)
        for shard in range(len(sizes)):
            with whole.part(shard):
                parts += build_qa_pairs(run, context, shard)
        commit_qa_pairs(run, parts)
        for variant in ("baseline", *load_suite(run.suite).perturbations):
            build_cases(run, context, variant)
