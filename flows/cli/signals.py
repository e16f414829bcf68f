"""Ctrl-C and SIGTERM: what is in flight is finished and kept, then the program ends with a sentence.

Where no call is in flight the end comes at once, and so it does on the second Ctrl-C. Prefect would
try for minutes to tell a server that the same Ctrl-C has ended. Nothing is lost by not waiting for
it: a step is committed as a whole or not at all, and each answer is in the response cache before it counts.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from flows.cli.views.call_summary import calls_made, counting_calls
from tasks.core.cancellation import is_sending, request_stop, stop_requested
from tasks.core.progress import Progress, listening

_LOOK_S = 0.05


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """End the program, its workers and Prefect's server when Ctrl-C or SIGTERM comes in the block."""
    last: list[Progress] = []

    def hear(progress: Progress) -> None:
        last[:] = [progress]

    def end(what: str, number: int) -> None:
        calls = calls_made(made)
        _end(what if calls is None else f"{calls}\n{what}", number)

    def stop(number: int, frame: FrameType | None) -> None:
        if stop_requested() or not is_sending():
            end(
                "stopped; finished steps and answers are kept, run the same command to go on",
                number,
            )
        _say(
            "stopping: waiting for the calls in flight, whose answers are kept; Ctrl-C again ends at once"
        )
        request_stop()
        threading.Thread(target=end_when_settled, args=(number,), daemon=True).start()

    def end_when_settled(number: int) -> None:
        while is_sending():
            time.sleep(_LOOK_S)
        reached = ", ".join(progress.so_far for progress in last)
        end(f"stopped ({reached}); all answers are kept, run the same command to go on", number)

    with counting_calls() as made, listening(hear):
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            if stop_requested():  # the thread says goodbye
                threading.Event().wait()
            for number, handler in before.items():
                signal.signal(number, handler)


def _say(message: str) -> None:
    os.write(sys.stderr.fileno(), f"\n{message}\n".encode())


def _end(message: str, number: int) -> None:
    _say(message)
    for worker in multiprocessing.active_children():
        worker.terminate()
    _end_prefects_own_server()
    os._exit(128 + number)  # what a shell reports for a command that this signal ended


def _end_prefects_own_server() -> None:
    # The one that Prefect starts for a flow which no command started; a command's own ends with it
    # (flows/cli/temporary_server.py). Ctrl-C may come while Prefect is being imported: then there is none yet.
    servers = getattr(sys.modules.get("prefect.server.api.server"), "SubprocessASGIServer", None)
    for server in servers._instances.values() if servers is not None else ():
        process = server.server_process
        if process is not None and process.poll() is None:
            process.terminate()
