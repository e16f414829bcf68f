"""The CSV that people fill in: one format for answers to rate and for questions to answer.

Texts may contain anything. Cells that a spreadsheet would run as a formula are escaped
(`tasks.text.spreadsheet`) and restored on reading. Control characters, which a terminal would obey,
are spelled out.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.text.spreadsheet import defused, restored
from tasks.text.visible import visible

# Reports use this name for all auditors. Names become file names, so their length is limited.
_ALL_AUDITORS = "all auditors"
_LONGEST_NAME = 60

Cells = dict[str, str]  # of a row, by column


class SheetError(RunFailed):
    """An unusable audit file; the message names it and the remedy."""


def check_new(file: Path) -> None:
    """Refuse a file that exists.

    Raises:
        SheetError: it may hold ratings.
    """
    if file.exists():
        raise SheetError(f"'{file}' exists and may hold ratings. Name another file.")


def write_rows(file: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a sheet for people.

    Raises:
        SheetError: the file exists, or cannot be written.
    """
    check_new(file)
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:  # BOM for Excel
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows([defused(visible(text).strip()) for text in row] for row in rows)
    except OSError as error:
        raise SheetError(f"cannot write {file}: {error.strerror}") from error


def columns_of(file: Path) -> list[str]:
    """Return the names in a sheet's first row.

    Raises:
        SheetError: the file is missing or is not UTF-8.
    """
    return _reader(file)[0]


def read_filled(
    file: Path, columns: Sequence[str], filled: Sequence[str]
) -> tuple[dict[int, Cells], int]:
    """Read a sheet as spreadsheets save it: comma, semicolon or tab, columns in any order.

    Returns:
        The rows with one of the `filled` cells, by their number in the file, and how many others
        there are.

    Raises:
        SheetError: the file is missing, is not UTF-8, or lacks a column.
    """
    names, records = _reader(file)
    if not {*columns} <= {*names}:
        raise SheetError(
            f"{file} lacks a column: its first row must name {', '.join(columns)}, "
            "as `tenkbench audit` wrote it"
        )
    rows: dict[int, Cells] = {}
    n_empty = 0
    for number, record in enumerate(records, start=2):
        if any(record[len(names) :]):
            raise SheetError(
                f"{file}, row {number}: {len(record)} cells under {len(names)} columns; is a "
                "quotation mark missing?"
            )
        cells = dict.fromkeys(columns, "")
        cells |= {n: restored(cell.strip()) for n, cell in zip(names, record, strict=False)}
        if any(cells[name] for name in filled):
            rows[number] = cells
        else:
            n_empty += bool(cells["id"])
    return rows, n_empty


def _reader(file: Path) -> tuple[list[str], list[list[str]]]:
    """Read the names of a sheet's columns, and its rows."""
    csv.field_size_limit(sys.maxsize)
    try:
        text = file.read_bytes().decode("utf-8-sig")
        head = text.partition("\n")[0]
        records = list(
            csv.reader(StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
        )
    except OSError as error:
        raise SheetError(
            f"Cannot read '{file}': {error.strerror}. Name a sheet that `tenkbench audit` wrote "
            "and people have filled in."
        ) from error
    except UnicodeDecodeError as error:
        raise SheetError(f"{file} is not UTF-8; save it again as `CSV UTF-8`") from error
    except csv.Error as error:
        raise SheetError(f"{file}: {error}; save it again as CSV") from error
    names, *rows = records or [[]]
    return [name.strip().lower() for name in names], rows


def why_no_name(auditor: str) -> str | None:
    """Say why a text cannot name an auditor; None if it can."""
    if not auditor:
        return "no auditor is named; write who filled in the row into the column auditor"
    if auditor == _ALL_AUDITORS or len(auditor) > _LONGEST_NAME or not auditor.isprintable():
        return f"{auditor[:_LONGEST_NAME]!r} cannot name an auditor; give another, shorter name"
    return None
