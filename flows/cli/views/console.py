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
from tasks.text.shares import share
from tasks.text.visible import defused, visible

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
