"""Whose turn it is to download: the SEC counts the requests of an address, so one run at a time makes them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.progress import tell


@contextmanager
def in_turn() -> Iterator[None]:
    """Wait until no other run of this user on this machine downloads, whatever its lake, and keep others waiting.

    The system ends the turn of a process that is killed.
    """
    from filelock import FileLock, Timeout

    user = os.getuid() if hasattr(os, "getuid") else "all"
    lock = FileLock(Path(tempfile.gettempdir(), f"tenkbench-edgar-{user}.lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        tell("another run on this machine is downloading from EDGAR; this one waits for its turn")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
