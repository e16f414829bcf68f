"""The stop signal: set by Ctrl-C, checked by the code that sends calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tasks.core.errors import RunFailed

# A plain flag: the signal handler that sets it may interrupt itself, and the lock of an event would
# then hang.
_is_stopping = False
_n_senders = 0  # blocks in `sending`


class Stopped(RunFailed):
    """The run was asked to stop, and no call is in flight any more."""


def request_stop() -> None:
    """Ask all senders to finish the calls in flight and to send no more."""
    global _is_stopping
    _is_stopping = True


def stop_requested() -> bool:
    """Whether a stop was requested."""
    return _is_stopping


def withdraw_stop() -> None:
    """Allow calls again."""
    global _is_stopping
    _is_stopping = False


@contextmanager
def sending() -> Iterator[None]:
    """Declare that calls may be in flight during the block."""
    global _n_senders
    _n_senders += 1
    try:
        yield
    finally:
        _n_senders -= 1


def is_sending() -> bool:
    """Whether calls may be in flight."""
    return _n_senders > 0
