"""Commands that look at a lake, the catalogue or the machine, and change nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flows.asking import WrongStatement, answer, opened_warehouse
from flows.options import DEFAULTS, AsJson

if TYPE_CHECKING:
    import duckdb


def sql(
    query: str | None = None,
    /,
    *,
    lake: str = DEFAULTS.lake,
    release: str | None = None,
    beta: float = DEFAULTS.beta,
    json: AsJson = False,
) -> None:
    """Ask the warehouse: `tenkbench sql "select * from reports.leaderboard"`; a shell without a query.

    Parameters
    ----------
    query: a statement; without one, statements are read from the terminal, each ended by a semicolon.
    lake: folder of the lake.
    release: one release; all when not given.
    beta: weight of robustness against grounding in LLM Compliance.
    """
    from flows.console import print_rows

    with opened_warehouse(lake, release, beta) as connection:
        if query is not None:
            print_rows(*answer(connection, query), as_json=json)
        else:
            _shell(connection, json)


def _shell(connection: duckdb.DuckDBPyConnection, json: bool) -> None:
    from flows.console import print_rows

    if sys.stdin.isatty():
        print(
            "Schemas: raw, staging, metrics, reports, checks. `show all tables;` lists relations; `exit` or Ctrl-D leaves."
        )
    statement = ""
    for line in _lines():
        if not statement and line.strip().rstrip(";").lower() in ("exit", "quit"):
            return
        statement += line + "\n"
        if not line.rstrip().endswith(";"):
            continue
        try:
            print_rows(*answer(connection, statement), as_json=json)
        except WrongStatement as error:
            if not sys.stdin.isatty():
                raise
            print(error, file=sys.stderr)
        statement = ""
    if statement.strip():
        print_rows(*answer(connection, statement), as_json=json)


def _lines() -> Iterator[str]:
    import readline  # noqa: F401  line editing and history for input()

    while True:
        try:
            yield input("tenkbench> " if sys.stdin.isatty() else "")
        except EOFError:
            return
        except KeyboardInterrupt:  # at a prompt it leaves the shell, as Ctrl-D does
            print()
            return


def suites(*, json: AsJson = False) -> None:
    """The benchmarks that can be run."""
    from flows.console import print_rows
    from tasks.suites import SUITES, load_suite

    rows = [(name, load_suite(name).description) for name in SUITES]
    print_rows(["suite", "description"], rows, as_json=json)


def models(*, models_file: str | None = None, json: AsJson = False) -> None:
    """The models that can be named.

    Parameters
    ----------
    models_file: TOML file with models of your own.
    """
    from flows.estimate import show_models
    from tasks.models import load_catalogue
    from tasks.preflight import check_engine

    found = list(load_catalogue(models_file).values())
    for model in found:
        check_engine(model, models_file)
    show_models(found, as_json=json)


def doctor(*, lake: str = DEFAULTS.lake, json: AsJson = False) -> None:
    """Check what a newcomer gets wrong; each failure comes with the command that mends it.

    Parameters
    ----------
    lake: folder of the lake.
    """
    from flows.console import print_rows
    from flows.doctor import examine

    findings = examine(lake)
    print_rows(
        ["check", "ok", "found", "mend"],
        [
            (finding.check, "yes" if finding.ok else "NO", finding.found, "" if finding.ok else finding.mend)
            for finding in findings
        ],
        as_json=json,
    )
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)
