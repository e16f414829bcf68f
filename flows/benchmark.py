"""Flow: the whole pipeline."""

from __future__ import annotations

from flows.build import build
from flows.infer import infer
from flows.ingest import ingest
from flows.judge import judge
from flows.parameters import Run
from flows.score import score
from flows.shown import followed, show_outcome
from tasks.build import NothingBuilt
from tasks.core.prefect_engine import flow
from tasks.core.progress import tell
from tasks.pipeline.clients import opened_each
from tasks.pipeline.plan import check_runs


@flow(name="benchmark", flow_run_name="benchmark {run.release} {run.suite}")
def benchmark(run: Run) -> None:
    """Run the whole pipeline of each suite: filings in, metric tables out."""
    with followed(run), opened_each(run) as runs:
        check_runs(runs)
        empty: list[NothingBuilt] = []
        for resolved in runs:
            try:
                for verb in (ingest, build, infer, judge, score):
                    verb(resolved.settings)
                show_outcome(resolved)
            except NothingBuilt as nothing:  # another suite may find something to ask
                empty.append(nothing)
                if len(empty) == len(runs):
                    raise
                tell(f"{resolved.suite.name}: {nothing}")
