"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version

from cyclopts import App, Parameter
from cyclopts.config import Env

from flows import exchange, looking, operating, releasing
from flows.asking import answer, opened_warehouse
from flows.options import DEFAULTS, AsJson, Settings
from flows.presets import Preset, fill_from_preset
from flows.starting import start
from tasks.errors import RunFailed
from tasks.settings import RunSettings

app = App(
    name="tenkbench",
    help="From SEC 10-K filings to defensible reliability numbers for LLMs in finance.",
    config=(Env("TENKBENCH_", command=False), fill_from_preset),
    default_parameter=Parameter(negative=()),
    version=lambda: version("tenkbench"),
    version_flags=["--version"],
    help_format="plaintext",
)

# --- running -----------------------------------------------------------------------------


@app.command
def run(settings: Settings = DEFAULTS, *, preset: Preset = None, json: AsJson = False) -> None:
    """All five verbs: filings in, metric tables out. Finished steps are not done again."""
    from flows.console import failed_calls
    from tasks.plan import has_nothing_to_do
    from tasks.store import Lake

    lake = Lake(settings.lake).as_of_now()
    if has_nothing_to_do(lake, settings):
        print(
            f"Nothing to do: release {settings.release} in {lake.url} is complete and nothing has changed.",
            *failed_calls(settings),
            sep="\n",
            file=sys.stderr,
        )
    else:
        start("benchmark", settings)
    _print_reports(settings, json)


@app.command
def ingest(settings: Settings = DEFAULTS, *, preset: Preset = None) -> None:
    """Filings -> documents, Items and tables."""
    start("ingest", settings)


@app.command
def build(settings: Settings = DEFAULTS, *, preset: Preset = None) -> None:
    """Documents -> contexts, question-answer pairs and cases."""
    start("build", settings)


@app.command
def infer(settings: Settings = DEFAULTS, *, preset: Preset = None) -> None:
    """Cases -> the answers of the models under test."""
    start("infer", settings)


@app.command
def judge(settings: Settings = DEFAULTS, *, preset: Preset = None) -> None:
    """Answers -> judgements; each judge also meets the standing attacks, and rates a part twice where one is set."""
    start("judge", settings)


@app.command
def score(settings: Settings = DEFAULTS, *, preset: Preset = None, json: AsJson = False) -> None:
    """Judgements -> checks and metric tables."""
    start("score", settings)
    _print_reports(settings, json)


@app.command
def estimate(settings: Settings = DEFAULTS, *, preset: Preset = None, json: AsJson = False) -> None:
    """Calls, tokens and cost of a run, or of the rest of one, before anything is sent."""
    from flows.estimate import show_estimate
    from tasks.estimates.estimate import estimate as estimated

    show_estimate(estimated(settings), as_json=json)


def _print_reports(settings: RunSettings, as_json: bool) -> None:
    from flows.console import print_json, print_report
    from tasks.explain import count_shown
    from tasks.models import name_of
    from tasks.suites import load_suite

    suite = load_suite(settings.suite)

    queries = {
        report: f"select * from reports.{report}"
        for report in (suite.reports if as_json else suite.headlines)
    }
    asked = "; ".join((*queries.values(), "from suites.evidence; from raw.qa_pairs"))
    with opened_warehouse(settings.lake, settings.release, settings.beta, asked) as connection:
        found = {report: answer(connection, query) for report, query in queries.items()}
        tell = None if as_json else suite.words.note
        note = tell(*count_shown(connection, suite.name, settings.release)) if tell else ""
    if as_json:
        objects = {
            name: [dict(zip(columns, row, strict=True)) for row in rows]
            for name, (columns, rows) in found.items()
        }
        print_json(objects)
        return
    for name, (columns, rows) in found.items():
        print_report(name, columns, rows)
    if note:
        print(note)
    where = "" if settings.lake == DEFAULTS.lake else f" --lake {settings.lake}"
    where += "" if settings.release == DEFAULTS.release else f" --release {settings.release}"
    of_suite = "" if settings.suite == DEFAULTS.suite else f" --suite {settings.suite}"
    judges = suite.judges(settings)
    judge = f" --judge {name_of(judges[0])}" if len(judges) > 1 else ""
    cell = f"--metric {suite.words.headline} --model {name_of(settings.model[0])}{judge}"
    print(
        f"One page of it all: tenkbench report{where}{of_suite}",
        f"From a number to its cases: tenkbench explain{where}{of_suite} {cell}",
        f'More: tenkbench sql{where} "from reports.NAME", where NAME is {", ".join(suite.reports)}',
        sep="\n",
        file=sys.stderr,
    )


# --- looking, exchanging, operating --------------------------------------------------------

for command in (
    looking.sql,
    looking.explain,
    looking.report,
    releasing.refresh,
    releasing.diff,
    looking.suites,
    looking.models,
    looking.doctor,
    exchange.export,
    exchange.import_,
    exchange.audit,
    operating.up,
    operating.deploy,
):
    app.command(command)


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
