"""Cut a submission's header and main document out of a stream of bytes.

Exhibits, XBRL and pictures follow; they turn a submission of one megabyte into one of a hundred.
"""

from __future__ import annotations

import re

from tasks.filings.reader.cover import header_sic
from tasks.filings.reader.submission import is_annual, read_header

_OPEN, _CLOSE = b"<DOCUMENT>", b"</DOCUMENT>"
_BEGIN = re.compile(rb"<(?:SEC|IMS)-DOCUMENT>")
_END = re.compile(rb"</(?:SEC|IMS)-DOCUMENT>")
_TYPE = re.compile(rb"<TYPE>\s*([^\s<]+)\s", re.IGNORECASE)
_HEAD = 2000  # a document states its type within this many bytes
_LONGEST_HEADER = 200_000


class WholeFile:
    """A sink: it takes a file piece by piece until it has enough. This one takes all of it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_whole = False

    def add(self, piece: bytes) -> bool:
        """Append bytes; return whether they are enough."""
        self.data += piece
        return False

    def close(self) -> None:
        """Note that the file ended."""
        self.is_whole = True


class MainDocument(WholeFile):
    """A sink that reads a submission up to the end of its annual report.

    `data` is the beginning of the submission, byte for byte: all of it if it holds no annual
    report. `is_whole` stays False if the end is missing, or if this is not a submission.
    """

    def __init__(self) -> None:
        super().__init__()
        self._place = 0
        self._is_annual = False

    def add(self, piece: bytes) -> bool:
        """Append bytes; return whether the document is complete."""
        self.data += piece
        while not self._is_annual:
            start = self.data.find(_OPEN, self._place)
            if start < 0:
                self._place = max(0, len(self.data) - len(_OPEN))
                return False
            found = _TYPE.search(self.data, start, start + _HEAD)
            if found is None and len(self.data) < start + _HEAD:
                self._place = start
                return False
            self._is_annual = found is not None and is_annual(found[1].decode("latin-1"))
            self._place = start + len(_OPEN)
        end = self.data.find(_CLOSE, self._place)
        if end < 0:
            self._place = max(self._place, len(self.data) - len(_CLOSE))
            return False
        del self.data[end + len(_CLOSE) :]
        self.is_whole = True
        return True

    def close(self) -> None:
        """Note that the stream ended.

        A main document without its end was cut off. So was a submission that has neither a main
        document nor an end of its own.
        """
        if not self.is_whole and not self._is_annual:
            tail = max(0, len(self.data) - _HEAD)
            self.is_whole = _begins(self.data) and _END.search(self.data, tail) is not None


class Header(WholeFile):
    """A sink that reads a submission up to the end of its SGML header."""

    def add(self, piece: bytes) -> bool:
        """Append bytes; return whether the header is complete."""
        self.data += piece
        self.is_whole = _OPEN in self.data or len(self.data) > _LONGEST_HEADER
        return self.is_whole

    def close(self) -> None:
        """Note that the stream ended."""
        self.is_whole = _begins(self.data)


def _begins(data: bytearray) -> bool:
    """Whether this is a submission rather than a server's error page."""
    return _BEGIN.search(data, 0, _HEAD) is not None


def industry_of(submission: bytes) -> str | None:
    """Return the filer's four-digit SIC code from a submission's header, or None."""
    head = submission[:_LONGEST_HEADER].decode("latin-1")
    end = head.find("<DOCUMENT>")
    return header_sic(read_header(head, end if end >= 0 else len(head)))
