"""One file as it is stored -> one parsed filing, or the reject that says why not.

What a worker process or a Ray node runs; it gets bytes, not a path, so that it need not see
the driver's disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.filings.reader.files import Rejected, unpack
from tasks.filings.reader.filing import ParsedFiling, parse_filing


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file: its name below the folder that was read, its bytes as stored, and how to count tokens.

    `fault` says why the bytes could not be read, when they could not.
    """

    uri: str
    data: bytes
    encoding: str
    fault: str | None = None


def read_filing(source: Source) -> ParsedFiling | Reject:
    """Unpack and parse a file; whatever is wrong with it becomes a `rejects` row, not an error."""
    try:
        if source.fault is not None:
            raise Rejected("unreadable", source.fault)
        return parse_filing(unpack(source.data), source.uri, source.encoding)
    except Rejected as rejected:
        return Reject(
            reject_id=stable_id("reject", "ingest", source.uri),
            stage="ingest",
            parent_id=source.uri,
            reason=rejected.reason,
            detail=rejected.detail,
        )
