"""A run's context, and the clients of the models that it names."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tasks.inference.client import Client, Shorter, open_client
from tasks.inference.context import RunContext
from tasks.inference.images.images import Images
from tasks.inference.operation import Operation
from tasks.lake.lake import Lake
from tasks.models.catalogue import Model, find_model
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules
    from tasks.inference.imported import Answers

_lock = threading.Lock()
_outermost: RunContext | None = None


def context_of(run: RunSettings, answers: Answers | None = None) -> RunContext:
    """Make the context of a run.

    Args:
        answers: made elsewhere, to take instead of asking their models.
    """
    return RunContext(
        run.lake,
        budget=run.budget,
        fresh_key=f"{run.release}-{run.suite}" if run.fresh else None,
        retry_failed=run.retry_failed,
        answers=answers,
    )


@contextmanager
def running(run: RunSettings, answers: Answers | None = None) -> Iterator[RunContext]:
    """Enter the context of a run; a nested flow shares the outer flow's context and budget."""
    global _outermost
    with _lock:
        is_outermost = _outermost is None
        context = _outermost = _outermost or context_of(run, answers)
    try:
        yield context
        if is_outermost:
            context.finish()
    finally:
        if is_outermost:
            _outermost = None


def client_of(
    run: RunSettings,
    context: RunContext,
    model: str,
    operations: Mapping[str, Operation[Any, Any]],
    part: str = "",
    *,
    remembers: bool = True,
    shorter: Shorter = lambda call, most: "",
) -> Client:
    """Open the client of a model that the run names.

    Args:
        part: the part of a step's calls that it will get, for progress.
        remembers: whether it keeps the rows of its calls.
        shorter: see `Client`.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    found = find_model(model, run.models_file)
    if run.patience is not None:
        found = replace(found, patience_s=run.patience)
    return open_client(
        context,
        found,
        operations,
        part,
        remembers=remembers,
        rules=rules_of(run, model),
        shorter=shorter,
    )


def rows_of(run: ResolvedRun, role: str) -> list[Model]:
    """Return the catalogue's rows of a role's models.

    Raises:
        UnknownModel: no catalogue names a model.
    """
    return [find_model(model, run.settings.models_file) for model in run.roles[role]]


def images_of(run: ResolvedRun, *, draws: bool = True) -> Images:
    """Open the images of the run's lake; see `Images`."""
    return Images(Lake(run.settings.lake).objects, draws)


def rules_of(run: RunSettings, model: str) -> Rules:
    """Load the suite's rules; none if a real model answers, for a faster start.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    if not is_played_by_rules(run, model):
        return {}
    from tasks.baseline import load_rules

    return load_rules(run.suite)


def is_played_by_rules(run: RunSettings, model: str) -> bool:
    """Whether rules answer for a model.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    return find_model(model, run.models_file).engine == "extractive"
