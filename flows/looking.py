"""Commands that look at a lake, the catalogue or the machine, and change nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.asking import answer, answered, opened_warehouse, write_parquet
from flows.options import DEFAULTS, AsJson
from flows.shell import run_shell
from tasks.settings import WrongSettings


def sql(
    query: str | None = None,
    /,
    *,
    lake: str = DEFAULTS.lake,
    release: str | None = None,
    beta: float = DEFAULTS.beta,
    json: AsJson = False,
    csv: bool = False,
    parquet: Path | None = None,
) -> None:
    """Ask the warehouse: `tenkbench sql "select * from reports.leaderboard"`; a shell without a query.

    Parameters
    ----------
    query: a statement; without one, statements are read from the terminal, each ended by a semicolon.
    lake: folder of the lake.
    release: one release; all when not given.
    beta: weight of robustness against grounding in LLM Compliance.
    csv: print CSV instead of a table: every row and all of each text, lists and structs as JSON.
    parquet: file to write the rows to, in place of printing them.
    """
    from flows.console import print_csv, print_rows

    if sum((json, csv, parquet is not None)) > 1:
        raise WrongSettings("--json, --csv and --parquet exclude each other")
    if parquet is not None and query is None:
        raise WrongSettings("--parquet writes the rows of one query; name it")

    with opened_warehouse(lake, release, beta) as connection:
        if parquet is not None:
            n_rows = write_parquet(connection, query or "", parquet)
            print(f"{n_rows:,} rows in {parquet}", file=sys.stderr)
            return

        def show(statement: str) -> None:
            if csv:
                print_csv(*answered(connection, statement))
            else:
                print_rows(*answer(connection, statement), as_json=json)

        if query is not None:
            show(query)
        else:
            run_shell(connection, show)


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
