"""Read one stored file: a parsed filing, or a reject that says why not.

Worker processes and Ray nodes run this. They get bytes, not a path, since they may not see the
driver's disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tasks.core.rows import Reject
from tasks.filings.reader.files import LIMIT_BYTES, Rejected, ingest_reject, unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, StatedFacts

# Real filings take at most six times their size. Small ones may take much more: 120 times if
# every second line is empty.
_BASE_BYTES = 512 * 1024 * 1024
_BYTES_A_BYTE = 16

_STATM = Path("/proc/self/statm")  # Linux
_DATA = 5  # its field of pages that this process alone writes


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingSource:
    """One file: its path below the folder read, its stored bytes, and the token encoding.

    `stated` is what the folder's `filings.csv` says of it. `fault` says why the bytes could not be
    read, or is None.
    """

    uri: str
    data: bytes
    encoding: str
    stated: StatedFacts = NOTHING_STATED
    fault: str | None = None


def read_filing(source: FilingSource) -> ParsedFiling | Reject:
    """Unpack and parse a file; a faulty file becomes a row of `rejects`, not an error."""
    try:
        if source.fault is not None:
            raise Rejected("unreadable", source.fault)
        return parse_filing(unpack(source.data), source.uri, source.encoding, source.stated)
    except Rejected as rejected:
        return ingest_reject(source.uri, rejected.reason, rejected.detail)


def read_bounded(source: FilingSource) -> ParsedFiling | Reject:
    """Read a file as `read_filing` does, in 512 MB and 16 times its unpacked size.

    For workers: a library that finds no more memory may end the process.
    """
    n_bytes = unpacked_size(source, LIMIT_BYTES)
    most = _BASE_BYTES + _BYTES_A_BYTE * n_bytes
    try:
        with at_most(most):
            return read_filing(source)
    except MemoryError:
        detail = f"{n_bytes:,} unpacked bytes need more than {most:,} bytes of memory"
        return ingest_reject(source.uri, "too much memory", detail)


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


def lost_filing(source: FilingSource) -> Reject:
    """Return the reject of a file that ends each process that reads it."""
    detail = "its process ended, and ended again when it was read alone: out of memory or a crash"
    return ingest_reject(source.uri, "not survived", detail)


def unpacked_size(source: FilingSource, limit: int) -> int:
    """Return a file's unpacked bytes, at most `limit`, and 0 if it cannot be unpacked."""
    try:
        return len(unpack(source.data, limit))
    except Rejected as rejected:
        return limit if rejected.reason == "larger than the limit" else 0
