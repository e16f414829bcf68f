"""Bound the memory of a piece of work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")  # Linux
_DATA = 5  # its field of pages that this process alone writes


@contextmanager
def at_most(n_bytes: int) -> Iterator[None]:
    """Let this process take at most `n_bytes` more: beyond it Python raises `MemoryError`.

    Libraries that cannot report it end the process, so call it where that costs one piece of work.
    Without Linux there is no bound.
    """
    if not _STATM.exists():
        yield
        return
    import resource

    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    taken = int(_STATM.read_text().split()[_DATA]) * resource.getpagesize()
    bounds = [
        taken + n_bytes,
        *(bound for bound in (before, hard) if bound != resource.RLIM_INFINITY),
    ]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))
