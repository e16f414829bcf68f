"""The shell of `tenkbench sql`, for statements that end in a semicolon."""

from __future__ import annotations

import sys
from collections.abc import Callable

from flows.cli.questions import WrongStatement
from tasks.text.visible import visible

HELP = """\
End an SQL statement with a semicolon: `from reports.spending;`
.tables             reports, and the relations of this lake's suites
.tables SCHEMA      relations of raw, staging, suites, reports, checks or of a suite
.schema RELATION    columns of a relation, and what they hold
exit                leaves, as Ctrl-D does
Tables are cut to the terminal. `tenkbench sql --vertical` shows one column per line."""


def run_shell(show: Callable[[str], None]) -> None:
    """Read statements and show their results until the input ends.

    On a terminal, print the error of a failed statement and go on.

    Raises:
        WrongStatement: a statement from a file or a pipe fails.
    """
    statement = ""
    while (line := _read_line("      ...> " if statement else "tenkbench> ")) is not None:
        word = "" if statement else line.strip().rstrip(";").lower()
        if word in ("exit", "quit"):
            return
        if word == "help":
            print(HELP)
            continue
        statement = f"{statement}{line}\n".lstrip()
        if line.rstrip().endswith(";") or word.startswith(".") or word == "show tables":
            _show_or_tell(statement, show)
            statement = ""
    if statement.strip():
        show(statement)


def _show_or_tell(statement: str, show: Callable[[str], None]) -> None:
    try:
        show(statement)
    except WrongStatement as error:
        if not sys.stdin.isatty():
            raise
        print(visible(str(error)), file=sys.stderr)


def _read_line(prompt: str) -> str | None:
    """Read the next line, or return None at the end or at Ctrl-C."""
    import readline  # noqa: F401  line editing and history for input()

    try:
        return input(prompt if sys.stdin.isatty() else "")
    except (EOFError, KeyboardInterrupt):
        return None
