"""The part of a submission that is wanted, told while it is still coming in: its header and its main document.

After them come exhibits, XBRL and pictures, which make a submission of one megabyte one of a hundred.
"""

from __future__ import annotations

import re

from tasks.filings.reader.cover import header_sic
from tasks.filings.reader.submission import is_annual, read_header

_OPEN, _CLOSE = b"<DOCUMENT>", b"</DOCUMENT>"
_BEGIN = re.compile(rb"<(?:SEC|IMS)-DOCUMENT>")
_END = re.compile(rb"</(?:SEC|IMS)-DOCUMENT>")
_TYPE = re.compile(rb"<TYPE>\s*([^\s<]+)\s", re.IGNORECASE)
_HEAD = 2000  # bytes in which a document's type stands
_LONGEST_HEADER = 200_000


class MainDocument:
    """Takes a submission in pieces, up to the end of its annual report.

    `data` is what is kept: the submission's beginning, byte for byte; all of it where it holds no annual report.
    `is_whole` stays False where the end is missing, and where something else than a submission came.
    """

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_whole = False
        self._place = 0
        self._is_annual = False

    def add(self, piece: bytes) -> bool:
        """Whether nothing more is wanted."""
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
        """No more comes: a main document without its end was cut off, and so was a submission without one and without its own end."""
        if not self.is_whole and not self._is_annual:
            tail = max(0, len(self.data) - _HEAD)
            self.is_whole = _begins(self.data) and _END.search(self.data, tail) is not None


class Header:
    """Takes a submission in pieces, up to the end of its SGML header."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.is_whole = False

    def add(self, piece: bytes) -> bool:
        """Whether nothing more is wanted."""
        self.data += piece
        self.is_whole = _OPEN in self.data or len(self.data) > _LONGEST_HEADER
        return self.is_whole

    def close(self) -> None:
        """No more comes."""
        self.is_whole = _begins(self.data)


def _begins(data: bytearray) -> bool:
    """Whether this is a submission, and not a page on which a server excuses itself."""
    return _BEGIN.search(data, 0, _HEAD) is not None


def industry_of(submission: bytes) -> str | None:
    """The filer's industry as a four-digit code, from a submission's header; None where it names none."""
    head = submission[:_LONGEST_HEADER].decode("latin-1")
    end = head.find("<DOCUMENT>")
    return header_sic(read_header(head, end if end >= 0 else len(head)))
