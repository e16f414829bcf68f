"""Statements that a person types, with names that Tab completes."""

from __future__ import annotations

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


def read_statements(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Yield what is typed: lines up to one that ends with `;`, or a line that begins with a dot."""
    import readline

    names = [name for (name,) in connection.execute(_NAMES).fetchall()]
    readline.set_completer(make_completer(names))
    readline.set_completer_delims(" ,;()=<>+-*/'\"")
    readline.parse_and_bind("tab: complete")
    print("A query ends with ; and the shell with .quit or Ctrl-D. Tab completes names.")
    lines: list[str] = []
    while True:
        try:
            lines.append(input("...> " if lines else "sql> "))
        except EOFError:  # Ctrl-D
            print()
            return
        except KeyboardInterrupt:  # of what is half typed
            print()
            lines = []
            continue
        if lines == [".quit"]:
            return
        if lines[-1].rstrip().endswith(";") or lines[0].startswith("."):
            yield "\n".join(lines)
            lines = []
        elif not lines[0].strip():
            lines = []


def make_completer(names: Sequence[str]) -> Callable[[str, int], str | None]:
    """Make what readline asks: the n-th name that begins with a text, or None."""

    def complete(text: str, n: int) -> str | None:
        fitting = [name for name in names if name.startswith(text.lower())]
        return fitting[n] if n < len(fitting) else None

    return complete
