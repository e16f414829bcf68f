"""The CSV that auditors fill in.

Answers may contain any text. Cells that a spreadsheet would run as a formula are escaped
(`tasks.text.spreadsheet`) and restored on reading. Control characters, which a terminal would obey,
are spelled out.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from tasks.core.errors import RunFailed
from tasks.results.audit.drawing import Shown
from tasks.text.spreadsheet import defused, restored
from tasks.text.visible import visible

COLUMNS = (
    "id",
    "question",
    "citation",
    "reference",
    "answer",
    "rubric",
    "rating",
    "note",
    "auditor",
)
_FILLED_IN = ("id", "rating", "note", "auditor")
_DELIMITERS = (",", ";", "\t")

_RATING = re.compile(r"([1-6])(?:[.,]0+)?")  # a spreadsheet may write 4.0


class SheetError(RunFailed):
    """An unusable audit file; the message names it and the remedy."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a filled-in sheet.

    `number` is the spreadsheet's row number, whose header is row 1.
    """

    number: int
    audit_item_id: str
    rating: int
    note: str | None
    auditor: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a filled-in sheet: rated rows, unrated count, and problems."""

    rows: tuple[Row, ...]
    n_unrated: int
    problems: tuple[str, ...]


def write_sheet(file: Path, shown: Iterable[Shown]) -> None:
    """Write the drawn answers with empty columns for rating, note and auditor.

    Raises:
        SheetError: the file exists (it may hold ratings), or cannot be written.
    """
    rows = (
        (
            *(each.item.audit_item_id, each.question, each.citation, each.reference),
            *(each.answer, each.rubric, "", "", ""),
        )
        for each in shown
    )
    write_rows(file, COLUMNS, rows)


def write_rows(file: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a sheet for people.

    Raises:
        SheetError: the file exists (it may hold ratings), or cannot be written.
    """
    try:
        with file.open("x", encoding="utf-8-sig", newline="") as out:  # BOM for Excel
            writer = csv.writer(out)
            writer.writerow(columns)
            writer.writerows(map(_cell, row) for row in rows)
    except FileExistsError as exists:
        raise SheetError(f"'{file}' exists and may hold ratings. Name another file.") from exists
    except OSError as error:
        raise SheetError(f"cannot write {file}: {error.strerror}") from error


def _cell(text: str) -> str:
    """Write a text as a cell that no spreadsheet runs and no terminal obeys."""
    return defused(visible(text).strip())


def read_sheet(file: Path) -> Sheet:
    """Read a filled-in sheet as spreadsheets save it.

    Columns may be separated by comma, semicolon or tab, in any order. An unusable row becomes a
    problem with its row number and advice. The other rows are read.

    Raises:
        SheetError: the file is missing, is not UTF-8, or lacks a column.
    """
    rows: list[Row] = []
    problems: list[str] = []
    n_unrated = 0
    for number, cells in read_records(file, _FILLED_IN):
        where = f"{file}, row {number}"
        row = cells if isinstance(cells, str) else _read(number, cells)
        if row is None:
            n_unrated += 1
        elif isinstance(row, str):
            problems.append(f"{where}: {row}")
        else:
            rows.append(row)
    return Sheet(tuple(rows), n_unrated, tuple(problems))


def read_records(file: Path, wanted: Sequence[str]) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Yield a sheet's rows: the row number, and the wanted cells or a problem.

    Raises:
        SheetError: see `read_sheet`.
    """
    text = _text(file)
    delimiter = next((each for each in _DELIMITERS if _has_columns(text, each, wanted)), None)
    if delimiter is None:
        raise SheetError(
            f"{file} lacks a column: its first row must name {', '.join(wanted)}, "
            "as `tenkbench audit` wrote it"
        )
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    names = [name.strip().lower() for name in next(reader)]
    try:
        for number, cells in enumerate(reader, start=2):
            if len(cells) > len(names) and any(cells[len(names) :]):
                yield (
                    number,
                    f"{len(cells)} cells under {len(names)} columns; is a quotation mark missing?",
                )
            elif any(cell.strip() for cell in cells):
                found = dict(zip(names, cells, strict=False))
                yield number, {name: restored(found.get(name, "").strip()) for name in wanted}
    except csv.Error as error:
        raise SheetError(
            f"{file}, line {reader.line_num}: {error}; save it again as CSV"
        ) from error


def names_columns(file: Path, wanted: Sequence[str]) -> bool:
    """Tell whether a sheet's first row names these columns.

    Raises:
        SheetError: the file is missing or is not UTF-8.
    """
    text = _text(file)
    return any(_has_columns(text, delimiter, wanted) for delimiter in _DELIMITERS)


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


def _has_columns(text: str, delimiter: str, wanted: Sequence[str]) -> bool:
    header = next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])
    return {name.strip().lower() for name in header} >= set(wanted)


def _read(number: int, cells: dict[str, str]) -> Row | str | None:
    """Return the row, None without a rating, or a problem."""
    rating, note, auditor = (cells[name] for name in ("rating", "note", "auditor"))
    if not rating:
        return "a note without a rating is not kept; rate the answer, too" if note else None
    whole = _RATING.fullmatch(rating)
    if whole is None:
        return f"the rating {rating!r} is not a whole number from 1 to 6"
    if not auditor:
        return "no auditor is named; write who rated the answer into the column auditor"
    return Row(number, cells["id"], int(whole[1]), note or None, auditor)
