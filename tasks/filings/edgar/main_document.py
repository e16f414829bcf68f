"""Cut a submission's header and main document out of a stream of bytes.

Exhibits, XBRL and pictures turn a submission of one megabyte into one of a hundred.
"""

from __future__ import annotations

from tasks.filings.reader.submission import is_annual, is_copy, type_of

_CLOSE = b"</DOCUMENT>"
_BEGINNINGS, _ENDS = (
    tuple(f"<{slash}{system}-DOCUMENT>".encode() for system in ("SEC", "IMS"))
    for slash in ("", "/")
)
_EDGE = 2000  # bytes at either end of a submission that have its marks


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
        self._start = 0  # of the document that is read
        self._place = 0  # its end is not before

    def add(self, piece: bytes) -> bool:
        """Append bytes; return whether they are enough."""
        self.data += piece
        while (end := self.data.find(_CLOSE, self._place)) >= 0:
            end += len(_CLOSE)
            document = self.data[self._start : end].decode("latin-1")
            if is_annual(type_of(document)) and not is_copy(document):
                del self.data[end:]
                self.is_whole = True
                return True
            self._start = self._place = end
        self._place = max(self._start, len(self.data) - len(_CLOSE))
        return False

    def close(self) -> None:
        """Note that the stream ended; a submission without an end of its own was cut off."""
        head, tail = self.data[:_EDGE], self.data[-_EDGE:]
        self.is_whole = any(mark in head for mark in _BEGINNINGS) and any(
            mark in tail for mark in _ENDS
        )
