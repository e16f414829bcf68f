"""Read one stored file: a parsed filing, or a reject that says why not.

Worker processes and Ray nodes run this. They get bytes, not a path, since they may not see the
driver's disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Reject
from tasks.filings.reader.files import Rejected, ingest_reject, unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.reader.sidecar import NOTHING_STATED, Stated


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file: its path below the folder read, its stored bytes, and the token encoding.

    `stated` is what the folder's `filings.csv` says of it. `fault` says why the bytes could not be
    read, or is None.
    """

    uri: str
    data: bytes
    encoding: str
    stated: Stated = NOTHING_STATED
    fault: str | None = None


def read_filing(source: Source) -> ParsedFiling | Reject:
    """Unpack and parse a file; a faulty file becomes a row of `rejects`, not an error."""
    try:
        if source.fault is not None:
            raise Rejected("unreadable", source.fault)
        return parse_filing(unpack(source.data), source.uri, source.encoding, source.stated)
    except Rejected as rejected:
        return ingest_reject(source.uri, rejected.reason, rejected.detail)
