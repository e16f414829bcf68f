"""Flow: a release that is built -> the answers, judgements and metrics of models that are added to it."""

from __future__ import annotations

from prefect import flow
from prefect.runtime import deployment, flow_run

from flows.artifacts import tagged
from flows.infer import infer
from flows.judge import judge
from flows.score import score
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.clients import running
from tasks.pipeline.plan import check_settings
from tasks.pipeline.settings import RunSettings
from tasks.results.compare.built import unbuilt_steps
from tasks.results.compare.quarters import is_quarter


def newest_release(lake: str, suite: str) -> str:
    """The last quarter's release (2026Q3) that is built.

    Releases of other names are trials, papers' and so on: nobody asked for calls to be paid on those.

    Raises:
        LakeError: there is none.
        UnknownSuite: no suite has this name.
    """
    held = Lake(lake)
    for release in sorted(filter(is_quarter, held.releases()), reverse=True):
        if not unbuilt_steps(held, release, suite):
            return release
    raise LakeError(
        f"no release of a quarter, such as 2026Q3, is built in {lake}; `tenkbench refresh` makes one, or name a release "
        "that there is"
    )


def _run_name() -> str:
    given = flow_run.parameters
    return f"evaluate {', '.join(given['models'])} on {given['release'] or 'the newest release'}"


@flow(name="evaluation", flow_run_name=_run_name)
def evaluation(
    models: list[str],
    lake: str = "lake",
    release: str | None = None,
    suite: str = RunSettings().suite,
    judges: tuple[str, ...] = (),
    judge_repeats: float = 0.0,
    models_file: str | None = None,
    budget: float | None = None,
) -> None:
    """Add models to a release that is built: their answers, judgements and metrics.

    Args:
        models: models to add; `tenkbench models` lists them, or `NAME@http://host:port/v1`.
        lake: folder of the lake, or s3://bucket/prefix.
        release: release to add them to; the last quarter's (2026Q3) that is built when not given.
        suite: benchmark whose cases they answer.
        judges: models that rate the answers, or rules of the suite's own; the suite's own when not given.
        judge_repeats: share of cases whose answers each judge rates a second time.
        models_file: TOML file with models of your own, on the worker's machine.
        budget: US dollars that this run may spend on calls; it stops before it would spend more.
    """
    run = RunSettings(
        lake=lake,
        release=release or newest_release(lake, suite),
        suite=suite,
        model=tuple(models),
        judge=judges,
        judge_repeats=judge_repeats,
        models_file=models_file,
        budget=budget,
    )
    check_settings(run)
    with tagged(run), running(run):
        infer(run)
        judge(run)
        score(run)
        if deployment.id:  # a command's report is written when it is asked for: `tenkbench report`
            from flows.report_artifact import publish_report

            publish_report(run)
