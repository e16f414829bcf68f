"""Flow: the whole pipeline."""

from __future__ import annotations

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.parameters import Run
from flows.score import score
from flows.shown import is_deployed, log_story, tagged
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
        log_story(resolved)
        if is_deployed():  # after a command, `tenkbench report` writes it
            from flows.report_artifact import publish_report

            publish_report(resolved)
