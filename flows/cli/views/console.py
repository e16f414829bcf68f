"""Terminal output: tables, CSV and JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from numbers import Number
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tasks.core.findings import Finding
from tasks.text.shares import share, signed_share
from tasks.text.spreadsheet import defused
from tasks.text.visible import visible

_UNBOUNDED = 2000  # for a log or a pager; rich would take 80 columns
_LEAST_TEXT = 12  # columns of a text that is folded
_FRAME = 3  # columns between two cells


def console() -> Console:
    """Make a console for the terminal, or an unbounded one."""
    return Console() if sys.stdout.isatty() else Console(width=_UNBOUNDED)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None
) -> None:
    """Print a table no wider than the terminal: texts are folded, numbers and ids are not.

    If it is too wide even so, print each row as a table with a line for each column.
    """
    out = console()
    if _least_width(columns, rows) <= out.width:
        out.print(_table(columns, rows, title))
        return
    for row in rows:
        out.print(_table(["", title or ""], list(zip(columns, row, strict=True))))


def _least_width(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Return the width of a table in which only texts are folded."""
    width = 1
    for index, column in enumerate(columns):
        widest = max((cell_len(one_line(row[index])) for row in rows), default=0)
        least = max(widest, cell_len(column)) if _is_whole(column, rows, index) else _LEAST_TEXT
        width += min(least, max(widest, cell_len(column))) + _FRAME
    return width


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """Print checks as a table of at most 80 columns, and each fix below it, to be copied."""
    if as_json:
        print_json([asdict(finding) for finding in findings])
        return
    rows = [(finding.check, finding.outcome, finding.found) for finding in findings]
    Console(width=min(80, console().width)).print(_table(["check", "outcome", "found"], rows))
    for finding in findings:
        if finding.fix:
            print_prose(f"{finding.check}: {finding.fix}")


def print_prose(*lines: str) -> None:
    """Print lines of our own among results; a name in one cannot begin another line."""
    for line in lines:
        print(one_line(line))


def print_note(*lines: str) -> None:
    """Print lines of our own on the standard error stream: a pipe gets results only."""
    for line in lines:
        print(visible(line), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=1, default=str), flush=True)


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a result as CSV, with lists and structs as JSON.

    A text that a spreadsheet would take for a formula gets a leading apostrophe; --json has none.
    Control characters are spelled out on a terminal only.
    """
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    sys.stdout.flush()


def _csv_cell(value: Any) -> Any:
    text = json.dumps(value, default=str) if isinstance(value, list | dict) else value
    if not isinstance(text, str):
        return text
    return defused(visible(text) if sys.stdout.isatty() else text)


def print_report(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a report with changes beside values and without constant columns.

    If it is too wide for the terminal, or for 80 columns, print a row of it as a column if that
    fits.
    """
    title = name.replace("_", " ")
    if not rows:
        console().print(f"[bold]{title}[/bold]: no rows")
        return
    columns, rows = _changes_beside_values(columns, rows)
    hidden = ("release", "suite", "example_parent_id", "example_detail")
    shown = [index for index, column in enumerate(columns) if column not in hidden]
    columns, rows = (
        [columns[index] for index in shown],
        [[row[index] for index in shown] for row in rows],
    )
    headings = [heading(column) for column in columns]
    table = _table(headings, rows, title)
    turned = _table([""] * (1 + len(rows)), list(zip(headings, *rows, strict=True)), title)
    turned.show_header = False
    width, measured = Console().width, Console(width=_UNBOUNDED).measure
    if measured(table).maximum > width >= measured(turned).maximum:
        table = turned
    console().print(table)


def lacks_interval(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Tell whether a report has a value without an interval."""
    of_values = [column for column in columns if f"{column}_interval" in columns]
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    return any(
        record[column] is not None and record[f"{column}_interval"] is None
        for record in records
        for column in of_values
    )


def heading(column: str) -> str:
    """Write a column's name as a table heading."""
    return column.replace("_", " ")


def _changes_beside_values(
    columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> tuple[list[str], list[list[Any]]]:
    """Merge columns such as `ocr` and `ocr_change` into one: `0.85 (-0.10)`."""
    place = {column: index for index, column in enumerate(columns)}
    shown = [
        column
        for column in columns
        if column.removesuffix("_change") not in place or not column.endswith("_change")
    ]

    def with_change(row: Sequence[Any], column: str) -> Any:
        value, change = row[place[column]], place.get(f"{column}_change")
        if change is None or value is None or row[change] is None:
            return value
        return f"{cell(value)} ({signed_share(row[change])})"

    return shown, [[with_change(row, column) for column in shown] for row in rows]


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str | None = None
) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for index, column in enumerate(columns):
        is_number = any(isinstance(row[index], Number | date) for row in rows)
        table.add_column(
            Text(visible(column)),
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=_is_whole(column, rows, index),
        )
    for row in rows:
        # a cell may quote a model, so it must not act as markup or as control characters
        table.add_row(*(Text(one_line(value), overflow="fold") for value in row))
    return table


def _is_whole(column: str, rows: Sequence[Sequence[Any]], index: int) -> bool:
    """Whether a column's cells are never folded: numbers, dates and ids, which people copy."""
    is_number = any(isinstance(row[index], Number | date) for row in rows)
    return is_number or column == "id" or column.endswith("_id")


_SMALLEST = 0.000001  # that six decimals distinguish from 0


def cell(value: Any) -> str:
    """Write a value as a table's cell."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if 0 < value < _SMALLEST:  # a p-value, for instance, is never 0
            return f"< {_SMALLEST:f}"
        return share(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def one_line(value: Any) -> str:
    """Write a value on one line, which cannot fake another."""
    return " ".join(visible(cell(value)).split())


def print_result(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, as_json: bool, as_csv: bool
) -> None:
    """Print the result of a statement.

    A terminal gets a table. A file or a pipe gets CSV, so that a program reads whole texts.
    """
    if not columns:
        return
    if as_json:
        for row in rows:
            print(json.dumps(dict(zip(columns, row, strict=True)), default=str))
        sys.stdout.flush()
    elif as_csv or not sys.stdout.isatty():
        print_csv(columns, rows)
    elif held := list(rows):
        print_table(columns, held)
    else:
        console().print(Text("No rows."))
