"""Flow: the whole pipeline."""

from __future__ import annotations

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.parameters import Run
from flows.score import score
from flows.shown import show_outcome, tagged
from tasks.core.prefect_engine import flow
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import check_run


@flow(name="benchmark", flow_run_name="benchmark {run.release} {run.suite}")
def benchmark(run: Run) -> None:
    """Run the whole pipeline: filings in, metric tables out."""
    with tagged(run), opened(run) as resolved:
        check_run(resolved)
        ingest(run)
        build(run)
        infer(run)
        judge(run)
        score(run)
        show_outcome(resolved)
