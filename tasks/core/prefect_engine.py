"""Prefect's engine under the runs that a server shows; all others call the plain functions.

Importing Prefect and starting a server took longer than most commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_TO_CONTINUE = (
    "If the message names a setting (--filings is filings in the form), start it again with "
    "Custom run; otherwise Retry continues it"
)


def names_a_server() -> bool:
    """Tell whether Prefect's environment or profiles name a server.

    Import Prefect only to read its profiles.
    """
    if "PREFECT_API_URL" in os.environ:
        return bool(os.environ["PREFECT_API_URL"])
    home = Path(os.environ.get("PREFECT_HOME", "~/.prefect")).expanduser()
    profiles = Path(os.environ.get("PREFECT_PROFILES_PATH", home / "profiles.toml"))
    if not profiles.is_file() or "PREFECT_API_URL" not in profiles.read_text():
        return False
    from prefect.settings import get_current_settings

    return bool(get_current_settings().api.url)


# A worker, and any program that works with Prefect itself, has imported it before our flows.
ON_PREFECT = "prefect" in sys.modules or names_a_server()


def flow(**options: Any) -> Callable[[Function], Function]:
    """Make a function a Prefect flow if a server shows this process's runs."""
    if not ON_PREFECT:
        return _plain
    import prefect

    hooks = [_say_how_to_continue]
    return prefect.flow(on_cancellation=hooks, on_crashed=hooks, on_failure=hooks, **options)


def task(**options: Any) -> Callable[[Function], Function]:
    """Make a function a Prefect task if a server shows this process's runs.

    The lake knows what is finished, so Prefect caches nothing.
    """
    if not ON_PREFECT:
        return _plain
    import prefect
    from prefect.cache_policies import NO_CACHE

    return prefect.task(cache_policy=NO_CACHE, **options)


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


def _plain(function: Function) -> Function:
    return function
