"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from cyclopts.config import Env

from tasks.errors import RunFailed
from tasks.settings import RunSettings, WrongSettings

if TYPE_CHECKING:
    import duckdb

app = App(
    name="tenkbench",
    help="From SEC 10-K filings to defensible reliability numbers for LLMs in finance.",
    config=Env("TENKBENCH_", command=False),
    default_parameter=Parameter(negative=()),
    version=lambda: version("tenkbench"),
    version_flags=["--version"],
    help_format="plaintext",
)

Settings = Annotated[RunSettings, Parameter(name="*")]
AsJson = Annotated[bool, Parameter(help="Print JSON instead of a table.")]
_DEFAULTS = RunSettings()
Answer = tuple[list[str], list[tuple[Any, ...]]]  # columns, rows


# --- running -----------------------------------------------------------------------------


@app.command
def run(settings: Settings = _DEFAULTS, *, json: AsJson = False) -> None:
    """All five verbs: filings in, metric tables out. Finished steps are not done again."""
    from flows.console import failed_calls
    from tasks.plan import has_nothing_to_do
    from tasks.store import Lake

    lake = Lake(settings.lake)
    if has_nothing_to_do(lake, settings):
        print(
            f"Nothing to do: release {settings.release} in {lake.root} is complete and nothing has changed.",
            *failed_calls(settings),
            sep="\n",
            file=sys.stderr,
        )
    else:
        _start("benchmark", settings)
    _print_reports(settings, json)


@app.command
def ingest(settings: Settings = _DEFAULTS) -> None:
    """Filings -> documents, Items and tables."""
    _start("ingest", settings)


@app.command
def build(settings: Settings = _DEFAULTS) -> None:
    """Documents -> contexts, question-answer pairs and cases."""
    _start("build", settings)


@app.command
def infer(settings: Settings = _DEFAULTS) -> None:
    """Cases -> the answers of the models under test."""
    _start("infer", settings)


@app.command
def judge(settings: Settings = _DEFAULTS) -> None:
    """Answers -> judgements."""
    _start("judge", settings)


@app.command
def score(settings: Settings = _DEFAULTS, *, json: AsJson = False) -> None:
    """Judgements -> checks and metric tables."""
    _start("score", settings)
    _print_reports(settings, json)


def _start(verb: str, settings: RunSettings) -> None:
    """Run a flow in this process and tell what it left in the lake.

    Where Prefect's settings name a server, the run appears there; else on a temporary one.
    """
    from flows.doctor import prefect_api
    from tasks.plan import check_settings

    check_settings(settings)
    api = prefect_api()
    if not api.ok:
        raise RunFailed(f"Prefect does not answer ({api.found}); {api.mend}")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    # Ctrl-C ends workers at once; Python's book-keeper of their semaphores would complain on the screen
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    # the console has our own progress; the server keeps Prefect's full log
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    from flows.calls_made import calls_made, counting_calls
    from flows.console import summary
    from flows.interrupts import ending_cleanly
    from flows.prefect_api import shown_on, start_temporary_server
    from flows.progress_display import progress_shown

    with counting_calls() as made:
        try:
            with ending_cleanly(), progress_shown():
                server = start_temporary_server()
                flow = _import_flow(verb)
                from flows.artifacts import tagged

                with shown_on(server), tagged(settings):
                    flow(settings)
        finally:  # also of a run that fails: what it has asked is paid for
            if calls := calls_made(made):
                print(calls, file=sys.stderr)
    for line in summary(settings):
        print(line, file=sys.stderr)


def _import_flow(verb: str) -> Callable[[RunSettings], None]:
    # Brings Prefect, which takes seconds. All of it stays: to look for garbage in it, again and
    # again while it is imported and then while the flow runs, would take a quarter more.
    gc.disable()
    try:
        flow: Callable[[RunSettings], None] = getattr(import_module(f"flows.{verb}"), verb)
    finally:
        gc.freeze()
        gc.enable()
    return flow


@app.command
def estimate(settings: Settings = _DEFAULTS, *, json: AsJson = False) -> None:
    """Calls, tokens and cost of a run, or of the rest of one, before anything is sent."""
    from flows.estimate import show_estimate
    from tasks.estimates.estimate import estimate as estimated

    show_estimate(estimated(settings), as_json=json)


# --- looking -----------------------------------------------------------------------------


@app.command
def sql(
    query: str | None = None,
    /,
    *,
    lake: str = _DEFAULTS.lake,
    release: str | None = None,
    beta: float = _DEFAULTS.beta,
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

    with _warehouse(lake, release, beta) as connection:
        if query is not None:
            print_rows(*_answer(connection, query), as_json=json)
        else:
            _shell(connection, json)


class WrongStatement(RunFailed):
    """A statement that DuckDB refuses."""


def _answer(connection: duckdb.DuckDBPyConnection, statement: str) -> Answer:
    import duckdb

    try:
        cursor = connection.execute(statement)
        if cursor is None:  # nothing but blanks or comments
            return [], []
        return [column[0] for column in cursor.description], cursor.fetchall()
    except duckdb.Error as error:
        raise WrongStatement(str(error)) from error


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
            print_rows(*_answer(connection, statement), as_json=json)
        except WrongStatement as error:
            if not sys.stdin.isatty():
                raise
            print(error, file=sys.stderr)
        statement = ""
    if statement.strip():
        print_rows(*_answer(connection, statement), as_json=json)


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


@contextmanager
def _warehouse(lake: str, release: str | None, beta: float) -> Iterator[duckdb.DuckDBPyConnection]:
    from tasks.store import Lake, LakeError
    from tasks.warehouse import open_warehouse

    found = Lake(lake)
    if not found.commits(release):
        what = "no lake" if release is None else f"no release {release}"
        raise LakeError(f"{what} in {found.root}; `tenkbench run` makes one")
    with open_warehouse(
        found.files(release), journal=found.journal, needs_journal=False, parameters={"beta": beta}
    ) as connection:
        yield connection


def _print_reports(settings: RunSettings, as_json: bool) -> None:
    from flows.console import print_json, print_report
    from tasks.suites import load_suite

    suite = load_suite(settings.suite)

    with _warehouse(settings.lake, settings.release, settings.beta) as connection:
        found = {
            report: _answer(connection, f"select * from reports.{report}")
            for report in (suite.reports if as_json else suite.headlines)
        }
    if as_json:
        objects = {
            name: [dict(zip(columns, row, strict=True)) for row in rows]
            for name, (columns, rows) in found.items()
        }
        print_json(objects)
        return
    for name, (columns, rows) in found.items():
        print_report(name, columns, rows)
    print(
        f'More: tenkbench sql --lake {settings.lake} "from reports.<name>", name one of {", ".join(suite.reports)}.',
        file=sys.stderr,
    )


@app.command
def suites(*, json: AsJson = False) -> None:
    """The benchmarks that can be run."""
    from flows.console import print_rows
    from tasks.suites import SUITES, load_suite

    rows = [(name, load_suite(name).description) for name in SUITES]
    print_rows(["suite", "description"], rows, as_json=json)


@app.command
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


@app.command
def doctor(*, lake: str = _DEFAULTS.lake, json: AsJson = False) -> None:
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


export = App(name="export", help="Write a published layout from the lake.")
app.command(export)


@export.command(name="failsafeqa")
def export_failsafeqa(
    target: Path, /, *, lake: str = _DEFAULTS.lake, release: str = _DEFAULTS.release
) -> None:
    """FailSafeQA's published layout: 12 columns, one JSON array.

    Parameters
    ----------
    target: file to write.
    lake: folder of the lake.
    release: release to take the cases from.
    """
    from flows.exports import export_failsafeqa as write

    for line in write(lake, release, target):
        print(line, file=sys.stderr)


@export.command(name="openai-batch")
def export_openai_batch(folder: Path, /, settings: Settings = _DEFAULTS) -> None:
    """Go on with a run up to the next calls to a model, and write them as OpenAI batch files instead of sending them.

    Parameters
    ----------
    folder: where the files go: JSON lines, one call each; its custom_id is the request's id.
    """
    from tasks.batch_files import AwaitingBatch
    from tasks.batching import writing_batches

    if settings.fresh:
        raise WrongSettings("--fresh would write what was answered yesterday again and again; leave it out")
    try:
        with writing_batches(folder):
            _start("benchmark", settings)
    except AwaitingBatch as written:
        print(written, file=sys.stderr)
    else:
        print("nothing to write: the run is complete", file=sys.stderr)


import_ = App(name="import", help="Take in what was answered elsewhere.")
app.command(import_)


@import_.command(name="openai-batch")
def import_openai_batch(files: list[Path], /, *, lake: str = _DEFAULTS.lake) -> None:
    """Replies of a provider's batch API or of `vllm run-batch`, into the ledger.

    Parameters
    ----------
    files: output and error files, as they were downloaded.
    lake: folder of the lake that the calls were exported from.
    """
    from tasks.batch_files import import_batch
    from tasks.road import kept_journal

    journal = kept_journal(lake)
    if journal is None:
        raise RunFailed(f"nothing was ever exported from the lake {lake}: it has no ledger")
    for file in files:
        done = import_batch(journal, file)
        failed = "".join(f", {n:,} failed ({kind}), to be asked again" for kind, n in done.failed.items())
        print(
            f"{file}: {done.n_kept:,} answers kept, {done.n_before:,} were there before{failed}",
            file=sys.stderr,
        )


# --- ending ------------------------------------------------------------------------------


def main(tokens: Sequence[str] | None = None) -> None:
    """Run a command; exit status 0 done, 1 it failed, 2 wrong usage."""
    try:
        app(tokens)
    except RunFailed as failed:
        print(f"tenkbench: {failed}", file=sys.stderr)
        raise SystemExit(failed.exit_status) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
