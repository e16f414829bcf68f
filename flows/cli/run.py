"""A verb's flow, run in this process."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tasks.core.errors import RunFailed
from tasks.pipeline.settings import RunSettings


def start(verb: str, settings: RunSettings, batches: Path | None = None, **parameters: Any) -> None:
    """Run a flow in this process and tell what it left in the lake; `parameters` are those that it has beside `run`.

    If Prefect's settings name a server, the run appears there; else on a temporary one.

    Args:
        batches: folder that calls are written to instead of being sent.
    """
    from deployments.server import prefect_api
    from tasks.pipeline.plan import check_settings

    check_settings(settings, writes_batches=batches is not None)
    api = prefect_api()
    if not api.ok:
        raise RunFailed(f"Prefect does not answer ({api.found}); {api.mend}")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    # Ctrl-C ends workers at once; Python's book-keeper of their semaphores would complain on the screen
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    # the console has our own progress; the server keeps Prefect's full log
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    from flows.cli.prefect_session import shown_on, start_temporary_server
    from flows.cli.signals import ending_cleanly
    from flows.cli.views.call_summary import calls_made, counting_calls
    from flows.cli.views.console import summary
    from flows.cli.views.progress import progress_shown

    with counting_calls() as made:
        try:
            with ending_cleanly(), progress_shown():
                server = start_temporary_server()
                flow = _import_flow(verb)
                from flows.artifacts import tagged
                from tasks.pipeline.clients import running

                with shown_on(server), tagged(settings), running(settings, batches):
                    flow(run=settings, **parameters)
        finally:  # also of a run that fails: what it has asked is paid for
            if calls := calls_made(made):
                print(calls, file=sys.stderr)
    for line in summary(settings):
        print(line, file=sys.stderr)


def _import_flow(verb: str) -> Callable[..., None]:
    # Brings Prefect, which takes seconds. All of it stays: to look for garbage in it, again and
    # again while it is imported and then while the flow runs, would take a quarter more.
    gc.disable()
    try:
        flow: Callable[..., None] = getattr(import_module(f"flows.{verb}"), verb)
    finally:
        gc.freeze()
        gc.enable()
    return flow
