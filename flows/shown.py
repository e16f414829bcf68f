"""What a flow shows on a Prefect server; nothing if no server shows the run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from flows.cli.signals import ending_cleanly
from flows.cli.views.progress import LOG_BEAT_S, progress_lines
from tasks.core.prefect_engine import ON_PREFECT
from tasks.core.progress import hearing
from tasks.models.catalogue import DATED, name_of
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING or ON_PREFECT:
    from prefect import get_run_logger, tags
    from prefect.client.orchestration import get_client
    from prefect.context import FlowRunContext
    from prefect.runtime import deployment

if TYPE_CHECKING:
    from tasks.pipeline.resolved import ResolvedRun


def is_deployed() -> bool:
    """Tell whether a deployment started the current run, and not a command."""
    return ON_PREFECT and bool(deployment.id)


@contextmanager
def tagged(run: RunSettings) -> Iterator[None]:
    """Tag the current flow run and the block's with release, suite and models."""
    if not ON_PREFECT:
        yield
        return
    names = [f"release:{run.release}", f"suite:{run.suite}"]
    names += [f"model:{name_of(model)}" for model in run.model]
    context = FlowRunContext.get()
    of_flow = context.flow_run if context else None
    # a command tags its flow from the start; a deployed flow gets its tags here
    if of_flow and (missing := set(names) - set(of_flow.tags)):
        with get_client(sync_client=True) as client:
            client.update_flow_run(of_flow.id, tags=[*of_flow.tags, *sorted(missing)])
    with tags(*names):
        yield


@contextmanager
def followed(run: RunSettings) -> Iterator[None]:
    """Tag the block's runs; log their progress, what holds them up, and what was done."""
    with tagged(run), ExitStack() as stack:
        if ON_PREFECT:
            if threading.current_thread() is threading.main_thread():
                # Prefect sets its own SIGTERM handler, which would drop the calls in flight
                stack.enter_context(ending_cleanly())
            log = get_run_logger()
            stack.enter_context(hearing(log.warning))
            stack.enter_context(progress_lines(log.info, LOG_BEAT_S))
        yield


def log_story(run: ResolvedRun) -> None:
    """Log what the run came to, and which judges failed their trial."""
    if not ON_PREFECT:
        return
    from flows.story import failed_trials, moves, story_of

    log = get_run_logger()
    for line in story_of(run):
        log.info(line)
    for _, _, sentence in failed_trials(run):
        log.warning(sentence)
    comparisons = moves(run)
    for _, is_more_than_noise, sentence in comparisons:
        (log.warning if is_more_than_noise else log.info)(sentence)
    if not comparisons and any(DATED in model for model in run.models):
        log.info("These models have no earlier answers here whose headline could be compared.")


def show_outcome(run: ResolvedRun) -> None:
    """Log what the run came to; if it is deployed, also publish its report."""
    log_story(run)
    if is_deployed():  # after a command, `tenkbench report` writes it
        from flows.report_artifact import publish_report

        publish_report(run)
