"""Handling of Ctrl-C and SIGTERM: keep answers in flight, then exit.

Without calls in flight the program exits at once, and on a second Ctrl-C as soon as the answers
that have arrived are kept. It does not wait for Prefect, which would try for minutes to reach a
server that the same Ctrl-C has ended. Nothing is lost: a step is committed whole or not at all, and
the response cache has each answer first.
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

from flows.cli.views.progress import CALLS, calls_made
from tasks.core.cancellation import is_sending, request_stop, stop_requested
from tasks.core.progress import Progress, listening
from tasks.inference.cache.response_cache import flush

_LOOK_S = 0.05
# After a second Ctrl-C: to read the answers that have arrived, then at most to write them.
_READ_S, _WRITE_S = 0.5, 3.0
_ALL_KEPT = "Stopped. Finished steps and answers are kept; run the same command to continue."


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """End the program and its workers on Ctrl-C or SIGTERM."""
    last: list[Progress] = []

    def hear(progress: Progress) -> None:
        last[:] = [progress]

    def end(what: str, number: int) -> None:
        calls = calls_made()
        _end(what if calls is None else f"{calls}\n{what}", number)

    def stop(number: int, frame: FrameType | None) -> None:
        if not is_sending():
            end(_ALL_KEPT, number)
        again = stop_requested()
        request_stop()  # before the words: a second Ctrl-C may interrupt this handler
        if not again:
            _say(
                "Stopping: waiting for the calls in flight to keep their answers. "
                "Press Ctrl-C again to stop at once."
            )
        ending = end_at_once if again else end_when_settled
        # a thread ends the program, since this one may have to read answers meanwhile
        threading.Thread(target=ending, args=(number,), daemon=True).start()

    def end_at_once(number: int) -> None:
        time.sleep(_READ_S)
        flush(_WRITE_S)
        end(_ALL_KEPT, number)

    def end_when_settled(number: int) -> None:
        while is_sending():
            time.sleep(_LOOK_S)
        reached = ", ".join(progress.so_far for progress in last)
        end(f"Stopped ({reached}). All answers are kept; run the same command to continue.", number)

    with listening(CALLS.hear), listening(hear):
        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            if stop_requested():  # the thread ends the program
                threading.Event().wait()
            for number, handler in before.items():
                signal.signal(number, handler)


def _say(message: str) -> None:
    os.write(sys.stderr.fileno(), f"\n{message}\n".encode())


def _end(message: str, number: int) -> None:
    _say(message)
    for worker in multiprocessing.active_children():
        worker.terminate()
    os._exit(128 + number)  # as a shell reports a command ended by this signal
