"""Flow: filings -> documents, Items and tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flows.parameters import Run
from flows.shown import followed, is_deployed
from tasks.core.prefect_engine import ON_PREFECT, flow
from tasks.ingest import ingest_filings, ingest_source
from tasks.lake.lake import Commit
from tasks.pipeline.clients import opened
from tasks.pipeline.plan import plan_ingest, plan_source
from tasks.pipeline.settings import RunSettings


@flow(name="ingest", flow_run_name="ingest {run.release}", validate_parameters=True)
def ingest(run: Run) -> Commit:
    """Read the filings of a release."""
    with followed(run), opened(run) as resolved, _alone_at_edgar(run):
        commit = ingest_filings(resolved, plan_ingest(resolved))
        for name in resolved.sources:
            ingest_source(resolved, plan_source(resolved, name), name)
        return commit


@contextmanager
def _alone_at_edgar(run: RunSettings) -> Iterator[None]:
    """Wait until no other run of the Prefect server downloads from EDGAR.

    `tenkbench deploy` creates the limit, which covers all machines and lakes. On a server without
    it, a command proceeds but a deployed run fails at once.
    """
    if ON_PREFECT and (run.filings or "").startswith("edgar:"):
        from prefect.concurrency.sync import concurrency

        # a short outage of the server must not end a download that takes hours
        with concurrency(
            "edgar", occupy=1, strict=is_deployed(), raise_on_lease_renewal_failure=False
        ):
            yield
    else:
        yield
