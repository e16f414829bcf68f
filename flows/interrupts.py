"""Ctrl-C: an end at once, with a sentence.

Prefect would try for minutes to tell a server that the same Ctrl-C has ended. Nothing is lost
by not waiting: a step is committed as a whole or not at all.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STATUS = 130  # what a shell reports for a command that Ctrl-C ended


@contextmanager
def ending_at_once() -> Iterator[None]:
    """End the program, its workers and its temporary server when Ctrl-C or SIGTERM comes in the block."""
    before = {number: signal.signal(number, _end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    message = "\nstopped; finished steps are kept, run the same command to go on\n"
    os.write(sys.stderr.fileno(), message.encode())
    for worker in multiprocessing.active_children():
        worker.terminate()
    _end_temporary_server()
    os._exit(STATUS)


def _end_temporary_server() -> None:
    # Ctrl-C may come while Prefect is being imported: then there is no server yet
    servers = getattr(sys.modules.get("prefect.server.api.server"), "SubprocessASGIServer", None)
    for server in servers._instances.values() if servers is not None else ():
        process = server.server_process
        if process is not None and process.poll() is None:
            process.terminate()
