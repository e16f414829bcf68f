"""Prefect's engine under the runs that a server shows; all others call the plain functions.

Importing Prefect and starting a server took longer than most commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from logging import LogRecord
from typing import Any, TypeVar

from tasks.core.errors import RunFailed

Function = TypeVar("Function", bound=Callable[..., Any])

_failed: set[str] = set()  # flow runs whose logs have the sentence
_TO_CONTINUE = (
    "If the message names a setting (--filings is filings in the form; a suite's own stand in its "
    "options, its models in roles) or finds nothing to ask, start it again with Custom run; "
    "otherwise Retry continues it"
)

# A worker, and any program that works with Prefect itself, has imported it before our flows.
ON_PREFECT = "prefect" in sys.modules or bool(os.environ.get("PREFECT_API_URL"))


def flow(**options: Any) -> Callable[[Function], Function]:
    """Make a function a Prefect flow if a server shows this process's runs."""
    if not ON_PREFECT:
        return lambda function: function
    import prefect
    from prefect.logging import get_logger

    for logs in ("flow_runs", "task_runs"):
        get_logger(logs).addFilter(_said_once)
    hooks = [_say_how_to_continue]
    return prefect.flow(on_cancellation=hooks, on_crashed=hooks, on_failure=hooks, **options)


def task(**options: Any) -> Callable[[Function], Function]:
    """Make a function a Prefect task if a server shows this process's runs.

    The lake knows what is finished, so Prefect caches nothing.
    """
    if not ON_PREFECT:
        return lambda function: function
    import prefect
    from prefect.cache_policies import NO_CACHE

    return prefect.task(cache_policy=NO_CACHE, **options)


def _said_once(record: LogRecord) -> bool:
    """Log a user's error once in each run, as its sentence; other errors need their traceback."""
    run, failed = str(vars(record).get("flow_run_id")), (record.exc_info or (None, None))[1]
    if isinstance(failed, RunFailed):
        record.msg, record.args, record.exc_info = str(failed), (), None
    elif not str(record.msg).startswith("Finished in state"):
        return True
    is_known = run in _failed
    if failed is not None:
        _failed.add(run)
    return not is_known


def _say_how_to_continue(flow: Any, flow_run: Any, state: Any) -> None:
    """Log how to continue a deployed run in its own log; its process may be gone.

    Nobody can retry a part of it, or a command.
    """
    if flow_run.deployment_id is None:
        return
    from prefect.logging.loggers import flow_run_logger

    ended = {"FAILED": "failed", "CRASHED": "crashed"}.get(state.type.name, "been cancelled")
    flow_run_logger(flow_run, flow).warning(
        "This run has %s. Finished steps and answers are kept. %s.",
        ended,
        _TO_CONTINUE if state.is_failed() else "Retry continues it",
    )
