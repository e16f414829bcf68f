"""Published files: read with an error that says what to do, written whole or not at all."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from tasks.suites.shared.published import DatasetError


def read_text(path: Path, what_to_do: str) -> str:
    """The text of a file in UTF-8, unpacked where its name ends in `.gz`.

    Raises:
        DatasetError: it is not there, a folder, damaged, or not UTF-8; `what_to_do` ends the message.
    """
    if path.is_dir():
        raise DatasetError(f"{path}: a folder, where one file is read; {what_to_do}")
    if not path.is_file():
        raise DatasetError(f"{path}: no such file; {what_to_do}")
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error) as broken:
        raise DatasetError(
            f"{path}: a damaged or incomplete gzip file ({broken}); fetch it again"
        ) from broken
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as broken:
        raise DatasetError(f"{path}: not UTF-8 at byte {broken.start}; {what_to_do}") from broken


def write_text(path: Path, text: str) -> None:
    """Write a file of that text; what was there stays until the new one is whole."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
