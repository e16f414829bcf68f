"""Flow: the whole pipeline."""

from __future__ import annotations

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.parameters import Run
from flows.score import score
from flows.shown import followed, show_outcome
from tasks.core.prefect_engine import flow
from tasks.pipeline.clients import opened_each
from tasks.pipeline.plan import check_run


@flow(name="benchmark", flow_run_name="benchmark {run.release} {run.suite}")
def benchmark(run: Run) -> None:
    """Run the whole pipeline of each suite: filings in, metric tables out."""
    with followed(run), opened_each(run) as runs:
        for resolved in runs:
            check_run(resolved)
        for resolved in runs:
            for verb in (ingest, build, infer, judge, score):
                verb(resolved.settings)
            show_outcome(resolved)
