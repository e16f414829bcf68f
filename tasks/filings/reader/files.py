"""Find files of filings, unpack them, and decode their bytes."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from tasks.core.rejects import reject_of
from tasks.core.rows import Reject

RECORD_SUFFIXES = (".json", ".json.gz")
SUFFIXES = (".htm", ".html", ".txt", ".htm.gz", ".html.gz", ".txt.gz", *RECORD_SUFFIXES)

# A 10-K with all exhibits and XBRL has tens of MB; what unpacks to more than this is not one.
LIMIT_BYTES = 256 * 1024 * 1024
# Of these the 10-K itself, with its annual report and without graphics and XBRL.
LIMIT_CHARS = 128 * 1024 * 1024


class Rejected(Exception):
    """A file that does not become a document, with the reason."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[Rejected], tuple[str, str]]:
        return Rejected, (self.reason, self.detail)


def ingest_reject(parent: str, reason: str, detail: str) -> Reject:
    """Return the row of a file, filing or index line that ingest leaves out."""
    return reject_of("ingest", parent, reason, detail, key=("ingest", parent))


def find_files(path: Path) -> list[Path]:
    """Return the file at a path, or every filing below a folder, sorted.

    Filings end in .htm, .html, .txt or .json, each also with .gz. Hidden files do not count.
    """
    return [path] if path.is_file() else [file for file in _visible(path) if _is_filing(file)]


def skipped_files(path: Path) -> list[Path]:
    """Return the files below a folder that `find_files` leaves out and are not hidden, sorted."""
    return [file for file in _visible(path) if not _is_filing(file)]


def name_of(file: Path, folder: Path) -> str:
    """Return a file's name in rows: its path in the folder, with \\xff for what is not UTF-8."""
    return os.fsencode(file.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")


def _visible(folder: Path) -> list[Path]:
    return sorted(
        file
        for file in folder.rglob("*")
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    )


def _is_filing(file: Path) -> bool:
    return file.name.lower().endswith(SUFFIXES)


def unpack(stored: bytes, limit: int = LIMIT_BYTES) -> bytes:
    """Return a file's content, decompressed if the bytes are gzip, whatever its name says.

    Raises:
        Rejected: it is empty, a truncated or broken gzip, or larger than `limit` bytes.
    """
    data = stored
    if stored.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(stored)) as unpacked:
                data = unpacked.read(limit + 1)  # a gzip bomb is not unpacked further
        except EOFError as error:
            raise Rejected("truncated gzip", str(error)) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise Rejected("broken gzip", str(error)) from error
    if len(data) > limit:
        raise Rejected("larger than the limit", f"more than {limit:,} bytes")
    if not data.strip():
        raise Rejected("empty", f"{len(data)} bytes")
    return data


_BINARY_HEADS = (
    b"%PDF",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\xd0\xcf\x11\xe0",
    b"\x7fELF",
    b"MZ",
)
_CONTROLS = bytes((*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_BEYOND_ASCII = bytes(range(0x80, 0x100))


def decode(data: bytes) -> str:
    """Decode a filing: UTF-16 if marked so, else UTF-8, else cp1252 as EDGAR's older filings.

    Line ends become \\n.

    Raises:
        Rejected: the bytes are not text, or are in no encoding that filings use.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return _unix_lines(data.decode("utf-16"))
        except UnicodeDecodeError as error:
            raise Rejected(
                "undecodable", f"marked as UTF-16: {error.reason} at byte {error.start}"
            ) from error
    if data.startswith(_BINARY_HEADS):
        raise Rejected("binary", f"begins with {data[:8]!r}")
    head = data[: 1 << 16]
    n_controls = len(head) - len(head.translate(None, _CONTROLS))
    if n_controls > 0.02 * len(head):
        raise Rejected(
            "binary", f"{n_controls:,} control characters in the first {len(head):,} bytes"
        )
    try:
        return _unix_lines(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        n_high = len(data) - len(data.translate(None, _BEYOND_ASCII))
        if n_high > 0.2 * len(data):
            raise Rejected(
                "undecodable",
                f"not UTF-8 ({error.reason} at byte {error.start}), {n_high:,} bytes beyond ASCII",
            ) from error
    return _unix_lines(data.decode("cp1252", "replace"))


def _unix_lines(text: str) -> str:
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
