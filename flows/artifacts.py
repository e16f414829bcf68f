"""What a run shows in the Prefect UI: tags, progress bars and lines of its log."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from uuid import UUID

import httpx
from prefect import get_run_logger, tags
from prefect.artifacts import (
    create_progress_artifact,
    update_progress_artifact,
)
from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.exceptions import PrefectException

from flows.cli.signals import ending_cleanly
from flows.story import failed_trials, story_of
from tasks.core.progress import Pieces, Progress, hearing, listening
from tasks.models.catalogue import name_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings

_REFRESH_S = 3.0


@contextmanager
def tagged(run: RunSettings) -> Iterator[None]:
    """Tag the current flow run and the block's with release, suite and models."""
    names = [
        f"release:{run.release}",
        f"suite:{run.suite}",
        *(f"model:{name_of(model)}" for model in run.model),
    ]
    context = FlowRunContext.get()
    of_flow = context.flow_run if context else None
    # a command tags its flow from the start; a deployed flow gets its tags here
    if of_flow and (missing := set(names) - set(of_flow.tags)):
        with get_client(sync_client=True) as client:
            client.update_flow_run(of_flow.id, tags=[*of_flow.tags, *sorted(missing)])
    with tags(*names):
        yield


def artifact_key(*parts: str) -> str:
    """Join parts into a valid Prefect key: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")


@contextmanager
def followed(run: RunSettings, verb: str) -> Iterator[None]:
    """Tag the block's runs and keep progress artifacts of their work current.

    A piece of work is what `tasks.core.progress` announces, such as one batch of an operation's
    calls to one model; pieces of the same name are added up. Their artifact shows failures, cache
    hits, cost and the remaining time. A separate thread updates artifacts in place, so calls never
    wait for them. Delays, and at the end what was done, go to the run's log.
    """
    with tagged(run), ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            # Prefect sets its own SIGTERM handler, which would drop the calls in flight
            stack.enter_context(ending_cleanly())
        shown = _Shown(run, verb)
        ended = threading.Event()
        # artifacts take their flow run from the context
        thread = threading.Thread(
            target=copy_context().run, args=(shown.keep_true, ended), daemon=True
        )
        logger = get_run_logger()
        with listening(shown.pieces.hear), hearing(logger.warning):
            thread.start()
            try:
                yield
            finally:
                ended.set()
                thread.join()
                for done in shown.pieces.by_name().values():
                    logger.info(done.so_far)


class _Shown:
    """Progress artifacts of one flow run."""

    def __init__(self, run: RunSettings, verb: str) -> None:
        self.key = (verb, run.release, run.suite)
        self.pieces = Pieces()
        self.written: dict[str, tuple[UUID, Progress]] = {}

    def keep_true(self, ended: threading.Event) -> None:
        while not ended.wait(_REFRESH_S):
            self.try_to_write()
        self.try_to_write()

    def try_to_write(self) -> None:
        """Write changes; if Prefect does not answer, the next beat will."""
        try:
            self.write()
        except (PrefectException, httpx.HTTPError) as error:
            logging.getLogger(__name__).warning("Prefect cannot show progress for now: %s", error)

    def write(self) -> None:
        for what, now in self.pieces.by_name().items():
            share = 100.0 * now.done / now.total if now.total else 100.0
            if what not in self.written:
                artifact = create_progress_artifact(
                    progress=share, key=artifact_key(*self.key, what), description=str(now)
                )
                self.written[what] = artifact, now
            elif self.written[what][1] != now:
                artifact, _ = self.written[what]
                update_progress_artifact(artifact, progress=share, description=str(now))
                self.written[what] = artifact, now


def log_line(line: str) -> None:
    """Add a line to the run's log."""
    get_run_logger().info(line)


def log_story(run: ResolvedRun) -> None:
    """Log what the run came to, and which judges failed their trial."""
    log = get_run_logger()
    for line in story_of(run):
        log.info(line)
    for _, _, sentence in failed_trials(run):
        log.warning(sentence)
