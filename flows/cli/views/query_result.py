"""Terminal output of `tenkbench sql`: a table as wide as the terminal, CSV, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.cli.views.console import console, least_width, print_csv, print_table
from tasks.text.visible import visible


def print_result(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    as_json: bool,
    as_csv: bool,
    folds: bool = False,
) -> None:
    """Print the result of a statement.

    A terminal gets a table. A file or a pipe gets CSV, so that a program reads whole texts.

    Args:
        folds: fold long texts of the table instead of cutting them.
    """
    if not columns:
        return
    if as_json:
        _print_json_lines(columns, rows)
    elif as_csv or not sys.stdout.isatty():
        print_csv(columns, rows)
    elif held := list(rows):
        _print_fitting(columns, held, folds=folds)
    else:
        console().print(Text("No rows."))


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


def _print_fitting(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, folds: bool) -> None:
    """Print a table with the first columns that fit the terminal, and name the others."""
    n = len(columns)
    while n > 1 and least_width(columns[:n], [row[:n] for row in rows]) > console().width:
        n -= 1
    print_table(columns[:n], [row[:n] for row in rows], cuts=not folds)
    if n < len(columns):
        others = ", ".join(columns[n:])
        note = f"Too wide to show: {others}. --csv and --json show all of each row."
        console().print(Text(visible(note)), style="dim")
