"""Run of a verb's flow in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

from flows.cli.views.console import print_note
from tasks.core.errors import RunFailed
from tasks.core.findings import Finding
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from tasks.inference.imported import Answers
    from tasks.pipeline.resolved import ResolvedRun


def start(
    verb: str,
    settings: RunSettings,
    answers: Answers | None = None,
    *,
    verbose: bool = False,
    **parameters: Any,
) -> None:
    """Run a flow of each suite in this process and summarize them, unless it imports answers.

    It runs on Prefect's engine, and appears on the server, if Prefect's settings name one.

    Args:
        answers: made elsewhere, to take instead of asking their models.
        parameters: the flow's parameters besides `run`.
    """
    from deployments.server import prefect_api
    from flows.story import summary
    from tasks.pipeline.clients import opened_each
    from tasks.pipeline.plan import check_runs

    with opened_each(settings, answers) as runs:
        check_runs(runs, builds=verb not in ("infer", "judge", "score"))
        for run in runs:
            if verb in ("benchmark", "judge"):
                _warn_of_rules(run, f"{run.suite.name}: " if len(runs) > 1 else "")
            if verb == "benchmark":
                _warn_of_servers(run)
        each = [settings] if verb == "benchmark" else [run.settings for run in runs]
        _call_flow(verb, each, prefect_api(), parameters, verbose=verbose)
    if answers is None:
        print_note(*dict.fromkeys(chain.from_iterable(map(summary, runs))))


def _call_flow(
    verb: str,
    each: Sequence[RunSettings],
    api: Finding,
    parameters: Mapping[str, Any],
    *,
    verbose: bool,
) -> None:
    if not api.ok:
        raise RunFailed(f"Prefect does not answer ({api.found}). To fix it:\n    {api.fix}")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    # Ctrl-C ends workers at once; Python's resource tracker would warn about their semaphores
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    # the console shows our own progress; the server keeps Prefect's full log
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    from flows.cli.signals import ending_cleanly
    from flows.cli.views.progress import CALLS, calls_made, progress_shown

    CALLS.latest.clear()
    try:
        with ending_cleanly(), progress_shown(verbose=verbose):
            flow = _import_flow(verb)
            from flows.shown import tagged

            for settings in each:
                with tagged(settings):
                    flow(run=settings, **parameters)
    finally:  # a failed run has paid for its calls too
        if calls := calls_made():
            print_note(calls)


def _warn_of_servers(run: ResolvedRun) -> None:
    """Say which servers refuse now: the run would meet them only after the build."""
    from flows.cli.doctor.models import model as checked
    from tasks.pipeline.preflight import model_needs

    servers = {need.model.name: need.model for need in model_needs(run)}
    for server in servers.values():
        for finding in checked(server) if server.engine == "openai" else ():
            # a server may answer to names that it does not list
            if not finding.ok and " serves " not in finding.found:
                fix = finding.fix[:1].upper() + finding.fix[1:]
                goes_on = "The run goes on; it asks this model after the build."
                print_note(f"{server.name}: {finding.found}. {fix}. {goes_on}")


def _warn_of_rules(run: ResolvedRun, whose: str) -> None:
    """Say what the judges of a run cannot decide if no model is among them."""
    if all(judge.model is None for judge in run.judges):
        for judge in run.judges:
            print_note(f"{whose}{judge.name} is a rule: {judge.judge.rule}.")


def _import_flow(verb: str) -> Callable[..., None]:
    flow: Callable[..., None] = getattr(import_module(f"flows.{verb}"), verb)
    return flow
