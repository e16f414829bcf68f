"""Rows of a CSV, JSONL, JSON or Parquet file, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.core.errors import WrongSettings
from tasks.core.untrusted import read_json, without_halves

FileRow = Mapping[str, Any]


def read_rows(file: Path) -> Iterator[tuple[int, FileRow]]:
    """Yield line, from 1, and columns of each row; of Parquet, the row's number.

    Raises:
        WrongSettings: the file is of another kind, or cannot be read.
    """
    name = file.name.casefold().removesuffix(".gz")
    try:
        if name.endswith(".parquet"):
            yield from enumerate(pq.read_table(file).to_pylist(), start=1)
            return
        data = file.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, pa.ArrowException) as error:
        raise WrongSettings(f"Cannot read '{file}': {error}. Save it as UTF-8 text.") from error
    if name.endswith((".csv", ".tsv")):
        yield from _csv_rows(file, text)
    elif name.endswith((".jsonl", ".ndjson", ".json")):
        yield from _json_rows(file, text)
    else:
        raise WrongSettings(
            f"'{file}' is no news file that tenkbench reads. Name a .csv, .tsv, .jsonl, .json or "
            ".parquet file; all but .parquet may end in .gz."
        )


def _csv_rows(file: Path, text: str) -> Iterator[tuple[int, FileRow]]:
    csv.field_size_limit(sys.maxsize)
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    for row in reader:
        if None in row or None in row.values():
            raise WrongSettings(
                f"'{file}', line {reader.line_num}: the row has not as many cells as the header. "
                "Put quotation marks around cells that hold the separator."
            )
        yield reader.line_num, row


def _json_rows(file: Path, text: str) -> Iterator[tuple[int, FileRow]]:
    is_array = text.lstrip().startswith("[")
    lines = [text] if is_array else text.split("\n")
    for line, content in enumerate(lines, start=1):
        if not content.strip():
            continue
        try:
            read = read_json(without_halves(content))
        except ValueError as error:
            raise WrongSettings(f"'{file}', line {line}: no JSON ({error}).") from error
        for number, row in enumerate(read if is_array else [read], start=1):
            if not isinstance(row, dict):
                raise WrongSettings(f"'{file}', line {line}: a row must be a JSON object.")
            yield (number if is_array else line), row
