"""A request to stop: heard by whoever sends calls, raised by Ctrl-C."""

from __future__ import annotations

import threading

_stop = threading.Event()


def request_stop() -> None:
    """Ask whoever sends calls to send no more, and to finish what is in flight."""
    _stop.set()


def stop_requested() -> bool:
    """Whether someone has asked to stop."""
    return _stop.is_set()


def forget_stop() -> None:
    """Start afresh: the request was heeded."""
    _stop.clear()
