"""Flow: filings -> documents, Items and tables."""

from __future__ import annotations

from prefect import flow

from flows.artifacts import followed
from flows.parameters import Run
from tasks.ingest import ingest_filings
from tasks.store import Commit


@flow(name="ingest", flow_run_name="ingest {run.release}", validate_parameters=True)
def ingest(run: Run) -> Commit:
    """Read the filings of a release."""
    with followed(run, "ingest"):
        return ingest_filings(run)
