"""Flow: a built release -> answers, judgements and metrics of added models."""

from __future__ import annotations

from dataclasses import replace

from flows.infer import infer
from flows.judge import judge
from flows.parameters import Run
from flows.refresh import scheduled_day
from flows.score import score
from flows.shown import followed, show_outcome
from tasks.core.prefect_engine import flow
from tasks.core.progress import tell
from tasks.lake.lake import Lake, LakeError
from tasks.models.catalogue import DATED, name_of
from tasks.pipeline.clients import opened_each
from tasks.pipeline.plan import check_runs, has_nothing_to_do
from tasks.pipeline.settings import RunSettings
from tasks.results.compare.quarters import is_quarter
from tasks.results.opened import unbuilt_steps
from tasks.suites.registry import suites_named

_DEFAULTS = RunSettings()


def newest_release(lake: str, suite: str) -> str:
    """Return the newest quarterly release (such as 2026Q3) that is built.

    Other releases may be trials: nobody asked to pay for calls on those.

    Raises:
        LakeError: no quarterly release is built.
        UnknownSuite: no suite has this name.
    """
    held = Lake(lake)
    for release in sorted(filter(is_quarter, held.releases()), reverse=True):
        if not any(unbuilt_steps(held, release, each) for each in suites_named(suite)):
            return release
    raise LakeError(
        f"No quarterly release, such as '2026Q3', is built in '{lake}'. Name another release, or "
        "make one:\n    tenkbench refresh"
    )


@flow(name="evaluation", flow_run_name="evaluate {models}")
def evaluation(models: list[str], run: Run = _DEFAULTS, again: bool = False) -> None:
    """Add models to a built release: their answers, judgements and metrics.

    Args:
        models: Models to add: names from `tenkbench models`, or `NAME@http://host:port/v1`.
        run: Whose release; the newest built quarter unless it names another release than `dev`.
        again: Ask models anew, as NAME~DAY, and say which have moved since they were last asked.
    """
    is_named = run.release != _DEFAULTS.release
    release = run.release if is_named else newest_release(run.lake, run.suite)
    if again:
        day = f"{DATED}{scheduled_day()}"
        models = [model.replace(name_of(model), name_of(model) + day, 1) for model in models]
    run = replace(run, release=release, model=tuple(models))
    with followed(run), opened_each(run) as runs:
        check_runs(runs, builds=False)
        for resolved in runs:
            if again and has_nothing_to_do(resolved.lake, resolved.settings):
                tell(f"{', '.join(models)}: asked on this day already. `fresh` asks anew.")
            for verb in (infer, judge, score):
                verb(resolved.settings)
            show_outcome(resolved)
