"""Progress, announced where the work is done and shown by whoever listens.

The command line listens with a progress bar or plain lines, a Prefect flow with progress
artifacts; the rooms that announce know neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str, int, int], None]  # what, done, total

_listeners: list[Listener] = []


def announce(what: str, done: int, total: int) -> None:
    """Tell all listeners that `done` of `total` units of `what` are finished."""
    for listener in list(_listeners):
        listener(what, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a listener called for every announcement of the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
