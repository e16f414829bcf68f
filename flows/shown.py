"""What a flow shows on a Prefect server; nothing if no server shows the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tasks.core.prefect_engine import ON_PREFECT
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING or ON_PREFECT:
    from prefect.runtime import deployment

    from flows.artifacts import followed, log_line, log_story, tagged
else:

    @contextmanager
    def tagged(run: RunSettings, verb: str = "") -> Iterator[None]:
        yield

    def log_story(run: object) -> None:
        pass

    followed, log_line = tagged, log_story


def is_deployed() -> bool:
    """Tell whether a deployment started the current run, and not a command."""
    return ON_PREFECT and bool(deployment.id)


__all__ = ["followed", "is_deployed", "log_line", "log_story", "tagged"]
