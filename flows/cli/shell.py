"""Statements that a person types, or a pipe holds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_NAMES = """
    select schema_name || '.' || view_name from duckdb_views() where not internal
    union select schema_name || '.' || table_name from duckdb_tables()
    union select column_name from duckdb_columns() where not internal
    order by all
"""


def typed(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield a pipe's whole text, or each line typed on a terminal, where Tab completes names."""
    if not sys.stdin.isatty():
        yield sys.stdin.read()
        return
    import readline

    readline.set_completer(completer([name for (name,) in connection.execute(_NAMES).fetchall()]))
    readline.set_completer_delims(" ,;()=<>+-*/'\"")
    readline.parse_and_bind("tab: complete")
    while True:
        try:
            line = input("sql> ")
        except EOFError:  # Ctrl-D
            print()
            return
        if line.strip():
            yield line


def completer(names: Sequence[str]) -> Callable[[str, int], str | None]:
    """Make what readline asks: the n-th name that begins with a text, or None."""

    def complete(text: str, n: int) -> str | None:
        fitting = [name for name in names if name.startswith(text.lower())]
        return fitting[n] if n < len(fitting) else None

    return complete
