"""Rows of a CSV, JSONL or Parquet file, plain or gzipped, and the news and rejects made of them."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.core.errors import WrongSettings
from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.core.untrusted import read_json, without_halves
from tasks.suites.longcontext.rows import Mention, News

NO_COMPANY = "the row does not say which companies it is about"
NO_DATE = "the row has no date that can be read"
DUPLICATE = "the same title, date and companies as an earlier row"

Row = Mapping[str, Any]


def text_of(cell: Any) -> str:
    """Return a cell's text on one line; "" if it is empty."""
    return "" if cell is None or cell != cell else " ".join(str(cell).split())


def value_of(cell: Any) -> Any:
    """Return a cell's value; a list or mapping written as JSON or as Python is read."""
    text = without_halves(text_of(cell))
    if not isinstance(cell, str) or not text.startswith(("{", "[")):
        return cell
    for read in (read_json, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return cell


def read_rows(file: Path) -> Iterator[tuple[int, Row]]:
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
    if name.endswith(".csv"):
        yield from _csv_rows(file, text)
    elif name.endswith(".jsonl"):
        yield from _json_rows(file, text)
    else:
        raise WrongSettings(
            f"'{file}' is no news file that tenkbench reads. Name a .csv, .jsonl or .parquet file; "
            "the first two may end in .gz."
        )


def _csv_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
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


def _json_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                row = read_json(without_halves(content))
            except ValueError as error:
                raise WrongSettings(f"'{file}', line {line}: no JSON ({error}).") from error
            if not isinstance(row, dict):
                raise WrongSettings(f"'{file}', line {line}: a row must be a JSON object.")
            yield line, row


def read_day(row: Row) -> str | None:
    """Read a date written as YYYY-MM-DD, with or without a time; None if it is none."""
    try:
        return date.fromisoformat(text_of(row.get("date"))[:10]).isoformat()
    except ValueError:
        return None


def make_news(
    file: str, line: int, title: str, day: str | None, item: str | None, *mentions: Mention
) -> News:
    """Make an article of a row of a file."""
    return News(
        news_id=stable_id("news", title, day),
        source_uri=file,
        line=line,
        title=title,
        published=day,
        item=item,
        mentions=mentions,
    )


def reject_row(file: str, line: int, reason: str, detail: str) -> Reject:
    """Say why a row of a file gives no article."""
    return Reject(
        reject_id=stable_id("reject", "ingest", file, line, reason, detail),
        stage="ingest",
        parent_id=f"{file}, line {line}",
        reason=reason,
        detail=detail,
    )
