"""Flows and their tasks without Prefect, whose server takes longer than all the rest.

In this process: `flows_as_functions`. As processes, in the repository's root: `python -c INFER LAKE
MODEL` and `python -c BUILD LAKE DATASET`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def flows_as_functions(*, writes_warehouse: bool = False) -> Iterator[None]:
    """Call flows and tasks as plain functions, and drop what the Prefect UI would show.

    Args:
        writes_warehouse: whether `score` writes `warehouse.duckdb`, which few tests read.
    """
    from prefect import Flow, Task

    from flows import refresh, score, shown

    def call(called: Flow[..., Any] | Task[..., Any], *arguments: Any, **named: Any) -> Any:
        return called.fn(*arguments, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Flow, "__call__", call)
        patched.setattr(Task, "__call__", call)
        patched.setattr(shown, "get_run_logger", lambda: logging.getLogger(__name__))
        for module in (shown, refresh):
            patched.setattr(module, "log_story", lambda run: None)
        if not writes_warehouse:
            patched.setattr(score, "write_lake_warehouse", lambda *given: None)
        yield


TASKS = """
import sys
from tasks.pipeline.plan import plan_build, plan_ingest, plan_prefixes, plan_responses
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
lake, given = sys.argv[1:]
"""
BUILD = (
    TASKS
    + """
from tasks.build import build_shard, commit_step
from tasks.ingest import ingest_filings
run = resolve(RunSettings(lake=lake, dataset=given))
ingest_filings(run, plan_ingest(run))
(step,) = run.build
planned = plan_build(run, step)
commit_step(run, planned, step, build_shard(run, planned, step, 0, 1))
"""
)
INFER = (
    TASKS
    + """
from tasks.infer import infer_prefixes, infer_responses
run = resolve(RunSettings(lake=lake, model=(given,)))
infer_prefixes(run, plan_prefixes(run, "text"), "text")
infer_responses(run, plan_responses(run, given), given)
"""
)
