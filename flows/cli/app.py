"""The command line; a command's slow imports wait until it runs."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import Any, TextIO

from cyclopts import App, CycloptsError, CycloptsPanel, Parameter, UnknownOptionError
from cyclopts.config import Env

from flows.cli import admin, exchange, query
from flows.cli.options import DEFAULTS, AsJson, Settings, Verbose, for_suite, suite_named
from flows.cli.presets import Preset, fill_from_preset, read_preset
from flows.cli.run import start
from flows.cli.views.console import print_note
from tasks.core.errors import RunFailed
from tasks.suites.registry import suites_named
from tasks.text.visible import visible

# --- running -----------------------------------------------------------------------------


def run(
    settings: Settings = DEFAULTS,
    *,
    preset: Preset = None,
    verbose: Verbose = False,
    json: AsJson = False,
) -> None:
    """Run all five verbs, from filings to metric tables; skip finished steps."""
    from flows.cli.views.run_results import print_results
    from flows.story import failed_calls
    from tasks.lake.lake import Lake
    from tasks.pipeline.plan import has_nothing_to_do
    from tasks.pipeline.resolved import each_suite, resolve

    lake, each = Lake(settings.lake).as_of_now(), each_suite(settings)
    if all(has_nothing_to_do(lake, one) for one in each):
        print_note(
            f"Nothing to do: release {settings.release} in {lake.url} is complete and up to date.",
            *chain.from_iterable(failed_calls(resolve(one)) for one in each),
        )
    else:
        try:
            start("benchmark", settings, verbose=verbose)
        except RunFailed:  # what was scored before is paid for
            before = lake.commits(settings.release)
            now = Lake(settings.lake).commits(settings.release)
            made = {commit.step.name for commit in now if commit not in before}
            done = [one.suite for one in each if f"{one.suite}.score" in made]
            if done and len(each) > 1:
                print_results(replace(settings, suite=",".join(done)), as_json=json)
            raise
    print_results(settings, as_json=json)


def ingest(
    settings: Settings = DEFAULTS, *, preset: Preset = None, verbose: Verbose = False
) -> None:
    """Read filings into documents, Items and tables."""
    start("ingest", settings, verbose=verbose)


def build(
    settings: Settings = DEFAULTS, *, preset: Preset = None, verbose: Verbose = False
) -> None:
    """Make contexts, question-answer pairs and cases from documents."""
    start("build", settings, verbose=verbose)


def infer(
    settings: Settings = DEFAULTS, *, preset: Preset = None, verbose: Verbose = False
) -> None:
    """Have the models under test answer the cases."""
    start("infer", settings, verbose=verbose)


def judge(
    settings: Settings = DEFAULTS, *, preset: Preset = None, verbose: Verbose = False
) -> None:
    """Have judges rate the answers, and test the judges themselves."""
    start("judge", settings, verbose=verbose)


def score(
    settings: Settings = DEFAULTS,
    *,
    preset: Preset = None,
    verbose: Verbose = False,
    json: AsJson = False,
) -> None:
    """Compute checks and metric tables from judgements."""
    from flows.cli.views.run_results import print_results

    start("score", settings, verbose=verbose)
    print_results(settings, as_json=json)


def estimate(settings: Settings = DEFAULTS, *, preset: Preset = None, json: AsJson = False) -> None:
    """Estimate a run's calls, tokens and cost before anything is sent."""
    from flows.cli.views.estimate import show_estimate
    from tasks.core.progress import hearing
    from tasks.pipeline.resolved import each_suite
    from tasks.results.estimate.estimate import estimate as estimated
    from tasks.results.estimate.estimate import together

    with hearing(print_note):
        predictions = [estimated(one) for one in each_suite(settings)]
    show_estimate(together(predictions), as_json=json)


# --- all commands --------------------------------------------------------------------------

COMMANDS = (
    run,
    ingest,
    build,
    infer,
    judge,
    score,
    estimate,
    query.sql,
    query.explain,
    query.report,
    admin.refresh,
    admin.diff,
    query.suites,
    query.models,
    query.doctor,
    admin.probe,
    admin.repair,
    admin.up,
    admin.deploy,
)


def _shown(default: Any) -> Any:
    """Write a default for the help; None if it is empty."""
    if default in (None, False, ()):
        return None
    return " ".join(map(str, default)) if isinstance(default, tuple) else str(default)


def make_app(suite: str = DEFAULTS.suite, only: Callable[..., None] | None = None) -> App:
    """Make the command line with the options of one suite, or one command of it."""
    app = App(
        name="tenkbench",
        help="From SEC 10-K filings to defensible reliability numbers for LLMs in finance.",
        config=(Env("TENKBENCH_", command=False), fill_from_preset),
        default_parameter=Parameter(negative=(), show_env_var=False, show_default=_shown),
        help_epilogue="Environment variables set options too: TENKBENCH_LAKE sets --lake.",
        version=lambda: version("tenkbench"),
        version_flags=["--version"],
        help_format="plaintext",
        error_formatter=partial(_explain_error, suite),
    )
    for command in COMMANDS if only is None else (only,):
        app.command(for_suite(command, suite))
    for room in exchange.rooms(suite) if only is None else ():
        app.command(room)
    return app


def _explain_error(suite: str, error: CycloptsError) -> Any:
    """Say whose option an unknown one is, if another suite has it."""
    from tasks.pipeline.resolved import owners_of

    message: Any = error
    if isinstance(error, UnknownOptionError):
        option = str(error.token.keyword or error.token.value).partition("=")[0]
        owners = owners_of(option.removeprefix("--").replace("-", "_"))
        if owners and not set(owners) & set(suites_named(suite)):
            message = (
                f"{option} belongs to {' and '.join(owners)}, not to {suite}. Leave it out, or "
                f"name --suite {owners[0]}"
            )
    return CycloptsPanel(message)


# --- ending ------------------------------------------------------------------------------


def main(tokens: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 failed, 2 wrong usage."""
    words = sys.argv[1:] if tokens is None else list(tokens)
    try:
        only = next((command for command in COMMANDS if words[:1] == [command.__name__]), None)
        suite = suite_named(words, read_preset)
        make_app(suite, only)(words)
    except RunFailed as failed:
        print(f"tenkbench: {visible(str(failed))}", file=sys.stderr)
        raise SystemExit(failed.exit_status) from None
    except BrokenPipeError:
        if not _has_lost_reader(sys.stdout):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None


def _has_lost_reader(output: TextIO) -> bool:
    """Whether the reader of our output has ended (`| head`)."""
    poller = select.poll()
    poller.register(output.fileno(), 0)  # errors are told in any case
    return any(event & select.POLLERR for _, event in poller.poll(0))


if __name__ == "__main__":
    main()
