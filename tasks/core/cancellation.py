"""A request to stop: raised by Ctrl-C, heard by whoever sends calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.core.errors import RunFailed

_stop = threading.Event()
_senders = 0
_lock = threading.Lock()


class Stopped(RunFailed):
    """Someone asked to stop, and nothing is in flight any more."""


def request_stop() -> None:
    """Ask whoever sends calls to send no more, and to finish what is in flight."""
    _stop.set()


def stop_requested() -> bool:
    """Whether someone has asked to stop."""
    return _stop.is_set()


def withdraw_stop() -> None:
    """Let calls be sent again."""
    _stop.clear()


@contextmanager
def sending() -> Iterator[None]:
    """Say that calls may be in flight during the block."""
    global _senders
    with _lock:
        _senders += 1
    try:
        yield
    finally:
        with _lock:
            _senders -= 1


def is_sending() -> bool:
    """Whether calls may be in flight."""
    return _senders > 0
