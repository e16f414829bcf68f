"""The configured or temporary Prefect server that shows a command's flows.

Prefect would start a temporary server itself, but only for the first flow, and would import the
whole server into this process too. Ours imports while we import, and ends however we end.
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

_PATIENCE_S = 120  # for a server that hangs or a busy machine; one that dies is noticed at once
_END_S = 10.0  # for the server to save what it received


class ServerFailed(RunFailed):
    """The temporary server ended or was not ready in time."""


def start_temporary_server() -> subprocess.Popen[str] | None:
    """Start a temporary server without waiting; None if one is configured.

    Call it before importing Prefect, so that both processes import at the same time. Only that
    import shows whether other settings, such as a profile, name a server. If they do, the temporary
    server exits by itself and `shown_on` ignores it. It outlives Prefect's last messages from here.
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
        start_new_session=True,  # Ctrl-C goes to the command, which ends the server
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
    """Show the block's flows on the temporary or configured server.

    Raises:
        ServerFailed: the temporary server ended before it was ready, or hangs.
    """
    if process is None or not temporary_server.is_wanted():
        yield
        return
    from prefect import settings
    from prefect.context import refresh_global_settings_context

    # Set in the environment, because `temporary_settings` does not reach Prefect's threads, which
    # send logs and events until this process ends.
    os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{_port(process)}/api"
    refresh_global_settings_context()
    # A temporary server ignores heartbeats, and each flow would wait up to a second to end its own.
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
            f"Prefect's temporary server was not ready after {patience_s} s. Raise "
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, or set PREFECT_API_URL to a server "
            "that you start:\n    prefect server start"
        )
    said = process.stdout.readline()
    if not said:
        raise ServerFailed(
            f"Prefect's temporary server ended with status {process.wait()} before it was ready. "
            "Its error is shown above. Check the installation:\n    tenkbench doctor"
        )
    return int(said)
