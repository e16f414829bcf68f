"""The shell of `tenkbench sql`, for statements that end in a semicolon."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from flows.cli.questions import WrongStatement, answer
from tasks.text.visible import visible

if TYPE_CHECKING:
    import duckdb

_PROMPT, _FURTHER_LINE = "tenkbench> ", "      ...> "
_GREETING = (
    "`from reports.tested_models;` shows who answered; `.tables` lists relations; `help` says more."
)
HELP_WORDS = ("help", ".help")
HELP = """\
End an SQL statement with a semicolon: `from reports.spending;`
.tables             reports, and the relations of this lake's suites
.tables SCHEMA      relations of raw, staging, suites, reports, checks or of a suite
.schema RELATION    columns of a relation, and what they hold
exit                leaves, as Ctrl-D does; Tab completes names
Tables are cut to the terminal. `tenkbench sql --vertical` shows one column per line."""


def run_shell(connection: duckdb.DuckDBPyConnection, show: Callable[[str], None]) -> None:
    """Read statements and show their results until the input ends.

    On a terminal, print the error of a failed statement and go on.

    Raises:
        WrongStatement: a statement from a file or a pipe fails.
    """
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        print(_GREETING)
        _complete_names(connection)
    statement = ""
    while (line := _line(_FURTHER_LINE if statement else _PROMPT)) is not None:
        word = "" if statement else line.strip().rstrip(";").lower()
        if word in ("exit", "quit", ".exit", ".quit"):
            return
        if word in HELP_WORDS:
            print(HELP)
            continue
        if not statement and not line.strip():
            continue
        statement += line + "\n"
        is_whole = line.rstrip().endswith(";") or word.startswith(".") or word == "show tables"
        if not is_whole:
            continue
        try:
            show(statement)
        except WrongStatement as error:
            if not is_terminal:
                raise
            print(visible(str(error)), file=sys.stderr)
        statement = ""
    if statement.strip():
        show(statement)


def _line(prompt: str) -> str | None:
    """Read the next line, or return None at the end."""
    import readline  # noqa: F401  line editing and history for input()

    try:
        return input(prompt if sys.stdin.isatty() else "")
    except EOFError:
        return None
    except KeyboardInterrupt:  # leaves the shell, as Ctrl-D does
        print()
        return None


def _complete_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Let Tab complete the names of relations and of their columns."""
    import readline

    _, rows = answer(
        connection,
        "select distinct unnest([table_schema || '.' || table_name, column_name]) as name "
        "from information_schema.columns order by name",
    )
    names = [name for (name,) in rows]

    def complete(begun: str, number: int) -> str | None:
        fitting = [name for name in names if name.startswith(begun.lower())]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n,;()=<>*+-/'\"")
    readline.parse_and_bind("tab: complete")
