"""Flow: a built release -> answers, judgements and metrics of added models."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from flows.infer import infer
from flows.judge import judge
from flows.parameters import Setting, SuiteName, check_full_paths
from flows.score import score
from flows.shown import is_deployed, log_story, tagged
from tasks.core.prefect_engine import flow
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.clients import running
from tasks.pipeline.plan import check_settings
from tasks.pipeline.settings import RunSettings
from tasks.results.compare.built import unbuilt_steps
from tasks.results.compare.quarters import is_quarter

_SUITE: str = RunSettings().suite


def newest_release(lake: str, suite: str) -> str:
    """Return the newest quarterly release (such as 2026Q3) that is built.

    Other releases may be trials: nobody asked to pay for calls on those.

    Raises:
        LakeError: no quarterly release is built.
        UnknownSuite: no suite has this name.
    """
    held = Lake(lake)
    for release in sorted(filter(is_quarter, held.releases()), reverse=True):
        if not unbuilt_steps(held, release, suite):
            return release
    raise LakeError(
        f"No quarterly release, such as '2026Q3', is built in '{lake}'. Name another release, or "
        "make one:\n    tenkbench refresh"
    )


def _run_name() -> str:
    from prefect.runtime import flow_run

    given = flow_run.parameters
    return f"evaluate {', '.join(given['models'])} on {given['release'] or 'the newest release'}"


@flow(name="evaluation", flow_run_name=_run_name)
def evaluation(
    models: Annotated[list[str], Setting("model")],
    lake: Annotated[str, Setting("lake")] = "lake",
    release: Annotated[str | None, Setting("release")] = None,
    suite: SuiteName = _SUITE,
    judges: tuple[str, ...] = (),
    judge_repeats: Annotated[float, Setting("judge_repeats")] = 0.0,
    models_file: Annotated[str | None, Setting("models_file")] = None,
    prompts: Annotated[str | None, Setting("prompts")] = None,
    budget: Annotated[float | None, Setting("budget")] = None,
    options: dict[str, Any] | None = None,
) -> None:
    """Add models to a built release: their answers, judgements and metrics.

    Args:
        models: Models to add: names from `tenkbench models`, or `NAME@http://host:port/v1`.
        lake: Folder of the lake, or s3://bucket/prefix.
        release: Release to add them to; the newest built quarter if omitted.
        suite: Benchmark whose cases they answer.
        judges: Models or rules that rate the answers; the suite's own if omitted.
        judge_repeats: Share of cases to rate twice.
        models_file: TOML file of your own models, on the worker's machine.
        prompts: Folder of your own prompts, on the worker's machine.
        budget: US dollars to spend on this run's calls; it stops before it exceeds them.
        options: The suite's own options, if the release was scored with others than the defaults.
    """
    named = RunSettings(
        lake=lake,
        suite=suite,
        model=tuple(models),
        judge=judges,
        judge_repeats=judge_repeats,
        models_file=models_file,
        prompts=prompts,
        budget=budget,
        options=options or {},
    )
    check_full_paths(named)
    run = replace(named, release=release or newest_release(lake, suite))
    check_settings(run, builds=False)
    with tagged(run), running(run):
        infer(run)
        judge(run)
        score(run)
        log_story(run)
        if is_deployed():  # after a command, `tenkbench report` writes it
            from flows.report_artifact import publish_report

            publish_report(run)
