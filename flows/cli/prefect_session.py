"""The Prefect server that shows what a command runs: the one that settings name, or a temporary one.

Prefect would start a temporary server itself, but only when the first flow asks for one, and would
import the whole server into this process too. Ours imports while we import, and ends however we end.
"""

from __future__ import annotations

import atexit
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from flows.cli import temporary_server
from tasks.core.errors import RunFailed

# A temporary server that dies is noticed at once; this is for one that hangs, or a machine that is very busy.
_PATIENCE_S = 120
# Within it, it writes down at the end what it was told.
_END_S = 10.0


class ServerFailed(RunFailed):
    """The temporary server has ended, or is not ready in time."""


def start_temporary_server() -> subprocess.Popen[str] | None:
    """A temporary server, which is not ready yet; None where the environment names a server.

    To be called before Prefect is imported here, so that both import at the same time. Whether other
    settings (a profile, for instance) name a server is known only after that import: the process then
    ends by itself, and `shown_on` leaves it alone. It ends after Prefect's last words of this process.
    """
    if os.environ.get("PREFECT_API_URL") or (
        "prefect" in sys.modules and not temporary_server.is_wanted()
    ):
        return None
    process = subprocess.Popen(
        [sys.executable, "-P", temporary_server.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the command; the server ends with it
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def shown_on(process: subprocess.Popen[str] | None) -> Iterator[None]:
    """Flows of the block are shown on the temporary server, or on the one that Prefect's settings name.

    Raises ServerFailed where the temporary server ends before it is ready, or hangs.
    """
    if process is None or not temporary_server.is_wanted():
        yield
        return
    from prefect import settings
    from prefect.context import refresh_global_settings_context

    # In the environment, not in `temporary_settings`: those do not reach Prefect's threads, which
    # send logs and events until this process has ended.
    os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{_port(process)}/api"
    refresh_global_settings_context()
    # Nothing on a temporary server looks at heartbeats, and at its end each flow waits up to a second for its own.
    with settings.temporary_settings(
        set_defaults={settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
    ):
        yield


def _port(process: subprocess.Popen[str]) -> int:
    from prefect.settings import get_current_settings

    assert process.stdout is not None
    ephemeral = get_current_settings().server.ephemeral
    has_been_set = "startup_timeout_seconds" in ephemeral.model_fields_set
    patience_s = ephemeral.startup_timeout_seconds if has_been_set else _PATIENCE_S
    if not select.select([process.stdout], [], [], patience_s)[0]:
        raise ServerFailed(
            f"Prefect's temporary server is not ready after {patience_s} s; "
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS gives it longer, "
            "or start one with `prefect server start` and set PREFECT_API_URL"
        )
    said = process.stdout.readline()
    if not said:
        raise ServerFailed(
            f"Prefect's temporary server ended with status {process.wait()} before it was ready; why is said above. "
            "`tenkbench doctor` checks the installation"
        )
    return int(said)
