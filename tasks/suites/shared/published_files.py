"""Reading and writing published files: clear errors, and no half-written file."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from tasks.suites.shared.published import DatasetError


def read_text(path: Path, what_to_do: str) -> str:
    """Read a UTF-8 text file, unpacked if its name ends in `.gz`.

    Raises:
        DatasetError: the file is missing, a folder, damaged or not UTF-8. The message ends with
            `what_to_do`.
    """
    if path.is_dir():
        raise DatasetError(f"{path}: a folder, not a file; {what_to_do}")
    if not path.is_file():
        raise DatasetError(f"{path}: no such file; {what_to_do}")
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error) as broken:
        raise DatasetError(
            f"{path}: a damaged or incomplete gzip file ({broken}); download it again"
        ) from broken
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as broken:
        raise DatasetError(f"{path}: not UTF-8 at byte {broken.start}; {what_to_do}") from broken


def write_text(path: Path, text: str) -> None:
    """Write a text file; an old one stays until the new one is complete."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
