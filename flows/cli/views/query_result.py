"""Terminal output of `tenkbench sql`: a table as wide as the terminal, CSV, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.cli.views.console import console, print_csv, print_table


def print_result(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the result of a statement.

    A terminal gets a table. A file or a pipe gets CSV, so that a program reads whole texts.
    """
    if not columns:
        return
    if as_json:
        _print_json_lines(columns, rows)
    elif as_csv or not sys.stdout.isatty():
        print_csv(columns, rows)
    elif held := list(rows):
        print_table(columns, held)
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
