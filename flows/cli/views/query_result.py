"""Terminal output of `tenkbench sql`: a table as wide as the terminal, CSV, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from numbers import Number
from typing import Any

from rich.cells import cell_len
from rich.console import Console, JustifyMethod, OverflowMethod
from rich.table import Table
from rich.text import Text

from flows.cli.views.console import cell, console, print_csv
from tasks.text.visible import visible

_LEAST_TEXT = 12  # columns of a text that is cut; an interval such as `0.10 to 0.30` stays whole
_LONGEST_SHARED = 60  # characters of a value that is said once for all rows
_WHOLE = "--vertical, --csv and --json show all of each row."
_FRAME = 3  # columns of the terminal between two cells


def print_result(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    as_json: bool,
    as_csv: bool,
    vertical: bool,
    folds: bool = False,
    why_empty: str | None = None,
) -> None:
    """Print the result of a statement.

    A terminal gets a table. A file or a pipe gets CSV, so that a program reads whole texts.

    Args:
        folds: fold long texts of the table instead of cutting them.
        why_empty: what a table without rows says.
    """
    if not columns:
        return
    if as_json:
        _print_json_lines(columns, rows)
    elif vertical:
        _print_vertical(columns, rows)
    elif as_csv or not sys.stdout.isatty():
        print_csv(columns, rows)
    elif found := list(rows):
        _print_table(columns, found, folds=folds)
    else:
        console().print(Text(why_empty or "No rows."))


def _print_json_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print each row as a JSON object on a line of its own.

    Raises:
        SystemExit: the reader has closed the pipe.
    """
    try:
        for row in rows:
            print(json.dumps(dict(zip(columns, row, strict=True)), default=str))
        sys.stdout.flush()
    except BrokenPipeError:
        Console().on_broken_pipe()


def _print_vertical(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print each row with one column per line, and whole texts."""
    out = console()
    for row in rows:
        table = Table(show_header=False)
        table.add_column()
        table.add_column(overflow="fold")
        for column, value in zip(columns, row, strict=True):
            table.add_row(Text(visible(column)), Text(visible(cell(value))))
        out.print(table)


# --- a table as wide as the terminal ------------------------------------------------------


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, folds: bool) -> None:
    """Print a table that is no wider than the terminal.

    What all rows share is said once below a wider one. Then texts are cut, never numbers. Last,
    the columns on the right are left out by name.
    """
    out = console()
    said = [[_one_line(value) for value in row] for row in rows]
    shown = list(range(len(columns)))
    wanted = [_wanted(columns, said, index) for index in shown]
    least = [
        wanted[index] if _is_number(rows, index) else min(wanted[index], _LEAST_TEXT)
        for index in shown
    ]
    notes = []
    if _total(wanted) > out.width:
        alike = [
            index
            for index in shown
            if len(rows) > 1
            and wanted[index] <= _LONGEST_SHARED
            and len({row[index] for row in said}) == 1
        ]
        empty = [index for index in alike if rows[0][index] is None]
        if told := [f"{columns[index]} {said[0][index]}" for index in alike if index not in empty]:
            notes.append(f"In all {len(rows):,} rows: {', '.join(told)}.")
        if empty:
            named = ", ".join(columns[index] for index in empty)
            notes.append(f"Empty in all {len(rows):,} rows: {named}.")
        shown = [index for index in shown if index not in alike]
    left_out = []
    while len(shown) > 1 and _total([least[index] for index in shown]) > out.width:
        left_out.append(columns[shown.pop()])
    widths = _shared_out(
        [wanted[index] for index in shown], [least[index] for index in shown], out.width
    )
    if left_out:
        notes.append(f"Too wide to show: {', '.join(reversed(left_out))}.")
    is_cut = any(width < wanted[index] for index, width in zip(shown, widths, strict=True))
    if left_out or (is_cut and not folds):
        notes.append(_WHOLE)
    table = Table()
    for index, width in zip(shown, widths, strict=True):
        justify: JustifyMethod = "right" if _is_number(rows, index) else "left"
        table.add_column(
            Text(visible(columns[index])), justify=justify, width=width, overflow="fold"
        )
    overflow: OverflowMethod = "fold" if folds else "ellipsis"
    for row in said:
        table.add_row(*(Text(row[index], no_wrap=not folds, overflow=overflow) for index in shown))
    if shown:
        out.print(table)
    for note in notes:
        out.print(Text(note), style="dim")


def _one_line(value: Any) -> str:
    """Write a value on one line."""
    return " ".join(visible(cell(value)).split())


def _is_number(rows: Sequence[Sequence[Any]], index: int) -> bool:
    return any(_counts(row[index]) for row in rows)


def _counts(value: Any) -> bool:
    return isinstance(value, Number | date)


def _wanted(columns: Sequence[str], said: Sequence[Sequence[str]], index: int) -> int:
    """Return the width that shows a column's cells whole.

    A longer heading is folded, down to the width of a cut text.
    """
    cells = [cell_len(row[index]) for row in said]
    return max(1, *cells, min(cell_len(visible(columns[index])), _LEAST_TEXT))


def _total(widths: Sequence[int]) -> int:
    """Return the width of a table with columns of these widths."""
    return sum(widths) + _FRAME * len(widths) + 1


def _shared_out(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Cut the widest columns to one width, so that the table fits the room."""
    most = min(max(wanted, default=0), room)
    while True:
        widths = [max(low, min(want, most)) for want, low in zip(wanted, least, strict=True)]
        if _total(widths) <= room or most <= 1:
            return widths
        most -= 1
