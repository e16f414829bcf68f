"""Flow: filings -> documents, Items and tables."""

from __future__ import annotations

from flows.parameters import Run
from flows.shown import followed
from tasks.core.prefect_engine import flow
from tasks.ingest import ingest_filings, ingest_source
from tasks.lake.lake import Commit
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import plan_ingest, plan_source


@flow(name="ingest", flow_run_name="ingest {run.release}", validate_parameters=True)
def ingest(run: Run) -> Commit:
    """Read the filings of a release."""
    with followed(run), opened(run) as resolved:
        commit = ingest_filings(resolved, plan_ingest(resolved))
        for name in resolved.sources:
            ingest_source(resolved, plan_source(resolved, name), name)
        return commit
