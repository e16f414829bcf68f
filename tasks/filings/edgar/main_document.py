"""Cut a submission's header, main document and Exhibit 13 out of a stream of bytes.

Other exhibits, XBRL and pictures turn a submission of one megabyte into one of a hundred.
"""

from __future__ import annotations

import re

from tasks.filings.reader.annual_report import names_annual_report
from tasks.filings.reader.cover import header_sic
from tasks.filings.reader.submission import is_annual, is_annual_report, is_copy, read_header

_OPEN, _CLOSE = b"<DOCUMENT>", b"</DOCUMENT>"
_BEGINNINGS, _ENDS = (
    tuple(f"<{slash}{system}-DOCUMENT>".encode() for system in ("SEC", "IMS"))
    for slash in ("", "/")
)
_TYPE = re.compile(rb"<TYPE>\s*([^\s<]+)\s", re.IGNORECASE)
_DATA = ("EX-101", "EX-102", "EX-103", "EX-104")  # what comes after the exhibits
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

    If that names the annual report to shareholders, the sink reads on to Exhibit 13. Exhibits come
    in any order; the others are left out. The search ends at data and pictures, which come last.

    `data` is the beginning of the submission, byte for byte: all of it if it holds no annual
    report. `is_whole` stays False if the end is missing, or if this is not a submission.
    """

    def __init__(self) -> None:
        super().__init__()
        self._place = 0
        self._start = -1  # of the document that is read to its end
        self._is_annual = False  # the annual report was found
        self._has_main = False  # and read to its end
        self._is_wanted = False  # the document is kept

    def add(self, piece: bytes) -> bool:
        """Append bytes; return whether they are enough."""
        self.data += piece
        while not self.is_whole:
            if not (self._finish() if self._start >= 0 else self._begin()):
                return False
        return True

    def _begin(self) -> bool:
        """Find the next document; return whether its type is known."""
        start = self.data.find(_OPEN, self._place)
        if start < 0:
            self._place = max(self._place, len(self.data) - len(_OPEN))
            return False
        found = _TYPE.search(self.data, start, start + _HEAD)
        if found is None and len(self.data) < start + _HEAD:
            self._place = start
            return False
        form = found[1].decode("latin-1") if found else ""
        self._place = start + len(_OPEN)
        if self._is_annual:
            self._start, self._is_wanted = start, is_annual_report(form)
            if not form.upper().startswith("EX-") or form.upper().startswith(_DATA):
                self._end_at(start)
        elif is_annual(form):
            self._start, self._is_wanted, self._is_annual = start, True, True
        return True

    def _finish(self) -> bool:
        """Find the end of the document; return whether it is there."""
        end = self.data.find(_CLOSE, self._place)
        if end < 0:
            end = max(self._place, len(self.data) - len(_CLOSE))
            if not self._is_wanted:
                del self.data[self._place : end]
                end = self._place
            self._place = end
            return False
        end += len(_CLOSE)
        is_main = self._is_wanted and not self._has_main
        text = self.data[self._start : end].decode(errors="replace") if is_main else ""
        if is_main and is_copy(text):
            self._is_annual = self._is_wanted = is_main = False
        self._has_main |= is_main
        if is_main and not names_annual_report(text.replace("\ufffd", " ")):
            self._end_at(end)
        elif not self._is_wanted:
            del self.data[self._start : end]
            end = self._start
        self._place, self._start = end, -1
        return True

    def _end_at(self, place: int) -> None:
        del self.data[place:]
        self.is_whole = True

    def close(self) -> None:
        """Note that the stream ended.

        A document without its end was cut off. So was a submission without an end of its own.
        """
        if not self.is_whole and self._start < 0:
            tail = max(0, len(self.data) - _HEAD)
            has_end = any(mark in self.data[tail:] for mark in _ENDS)
            self.is_whole = has_end if _begins(self.data) else self._has_main


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
    return any(mark in data[:_HEAD] for mark in _BEGINNINGS)


def industry_of(submission: bytes) -> str | None:
    """Return the filer's four-digit SIC code from a submission's header, or None."""
    head = submission[:_LONGEST_HEADER].decode("latin-1")
    end = head.find("<DOCUMENT>")
    return header_sic(read_header(head, end if end >= 0 else len(head)))
