"""The CSV that people fill in: one format for answers to rate and for questions to answer.

Texts may contain anything. Cells that a spreadsheet would run as a formula are escaped
(`tasks.text.spreadsheet`) and restored on reading. Control characters, which a terminal would obey,
are spelled out.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.text.spreadsheet import defused, restored
from tasks.text.visible import visible

_DELIMITERS = (",", ";", "\t")
# Reports use this name for all auditors. Names become file names, so their length is limited.
_ALL_AUDITORS = "all auditors"
_LONGEST_NAME = 60

Filled = tuple[str, dict[str, str]]  # where a row stands, and its cells by column


class SheetError(RunFailed):
    """An unusable audit file; the message names it and the remedy."""


def write_rows(file: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a sheet for people.

    Raises:
        SheetError: the file exists (it may hold ratings), or cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:  # BOM for Excel
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows([defused(visible(text).strip()) for text in row] for row in rows)
    except FileExistsError as exists:
        raise SheetError(f"'{file}' exists and may hold ratings. Name another file.") from exists
    except OSError as error:
        raise SheetError(f"cannot write {file}: {error.strerror}") from error


def read_filled(
    file: Path, columns: Sequence[str], filled: Sequence[str], ids: Collection[str]
) -> tuple[list[Filled], list[str], list[str]]:
    """Read a sheet as spreadsheets save it: comma, semicolon or tab, columns in any order.

    Returns:
        The rows with one of the `filled` cells, the ids of the others, and problems of rows that
        cannot be used, each with its row number and advice.

    Raises:
        SheetError: the file is missing, is not UTF-8, or lacks a column.
    """
    rows: list[Filled] = []
    empty: list[str] = []
    problems: list[str] = []
    for number, cells in _records(file, columns):
        where = f"{file}, row {number}"
        if isinstance(cells, str):
            problems.append(f"{where}: {cells}")
        elif cells["id"] not in ids:
            problems.append(
                f"{where}: nothing with the id {cells['id']!r} was drawn from this lake; "
                "leave the column id as it is, or name the lake with --lake"
            )
        elif not any(cells[name] for name in filled):
            empty.append(cells["id"])
        elif wrong := _wrong_name(cells["auditor"]):
            problems.append(f"{where}: {wrong}")
        else:
            rows.append((where, cells))
    return rows, empty, problems


def names_columns(file: Path, columns: Sequence[str]) -> bool:
    """Tell whether a sheet's first row names these columns.

    Raises:
        SheetError: the file is missing or is not UTF-8.
    """
    return _delimiter_of(_text(file), columns) is not None


def _records(file: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield a sheet's rows: the row number, and the cells of the columns or a problem."""
    text = _text(file)
    delimiter = _delimiter_of(text, columns)
    if delimiter is None:
        raise SheetError(
            f"{file} lacks a column: its first row must name {', '.join(columns)}, "
            "as `tenkbench audit` wrote it"
        )
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    names = [name.strip().lower() for name in next(reader)]
    try:
        for number, cells in enumerate(reader, start=2):
            if any(cells[len(names) :]):
                counts = f"{len(cells)} cells under {len(names)} columns"
                yield number, f"{counts}; is a quotation mark missing?"
            elif any(cell.strip() for cell in cells):
                by_name = dict(zip(names, cells, strict=False))
                yield number, {name: restored(by_name.get(name, "").strip()) for name in columns}
    except csv.Error as error:
        raise SheetError(
            f"{file}, line {reader.line_num}: {error}; save it again as CSV"
        ) from error


def _text(file: Path) -> str:
    csv.field_size_limit(sys.maxsize)
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SheetError(
            f"Cannot read '{file}': {error.strerror}. Name a sheet that `tenkbench audit` wrote "
            "and people have filled in."
        ) from error
    except UnicodeDecodeError as error:
        raise SheetError(f"{file} is not UTF-8; save it again as `CSV UTF-8`") from error


def _delimiter_of(text: str, columns: Sequence[str]) -> str | None:
    """Return the delimiter by which the first row names all columns, or None."""
    for delimiter in _DELIMITERS:
        header = next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])
        if {name.strip().lower() for name in header} >= set(columns):
            return delimiter
    return None


def _wrong_name(auditor: str) -> str | None:
    """Say why a text cannot name an auditor; None if it can."""
    if not auditor:
        return "no auditor is named; write who filled in the row into the column auditor"
    if auditor == _ALL_AUDITORS or len(auditor) > _LONGEST_NAME or not auditor.isprintable():
        return f"{auditor[:_LONGEST_NAME]!r} cannot name an auditor; give another, shorter name"
    return None
