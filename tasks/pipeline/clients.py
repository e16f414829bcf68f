"""The door: a run is opened once, and gives its steps the clients of its models."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tasks.inference.client import Client, open_client
from tasks.pipeline.resolved import ResolvedRun, each_suite, resolve
from tasks.pipeline.settings import RunSettings

if TYPE_CHECKING:
    from tasks.inference.context import RunContext
    from tasks.inference.engines.extractive import Rules
    from tasks.inference.imported import Answers

_lock = threading.Lock()
_outermost: RunContext | None = None


@contextmanager
def opened(settings: RunSettings, answers: Answers | None = None) -> Iterator[ResolvedRun]:
    """Open the run of one suite. A nested flow shares the outer flow's budget and cache.

    Raises:
        UnknownSuite, WrongSettings: see `resolve`.
    """
    global _outermost
    with _lock:
        outer = _outermost
        run = resolve(settings, outer, answers)
        _outermost = run.context
    try:
        yield run
        if outer is None:
            run.context.finish()
    finally:
        if outer is None:
            _outermost = None


@contextmanager
def opened_each(
    settings: RunSettings, answers: Answers | None = None
) -> Iterator[list[ResolvedRun]]:
    """Open the runs of all suites that are named, with one budget; see `opened`."""
    with ExitStack() as stack:
        yield [stack.enter_context(opened(one, answers)) for one in each_suite(settings)]


def client_of(run: ResolvedRun, model: str, part: str = "", *, remembers: bool = True) -> Client:
    """Open the client of a model that the run names.

    Args:
        part: the part of a step's calls that it will get, for progress.
        remembers: whether it keeps the rows of its calls.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    return open_client(
        run.context,
        run.row(model),
        run.suite.operations,
        part,
        remembers=remembers,
        rules=rules_of(run, model),
        shorter=run.shorter,
    )


def rules_of(run: ResolvedRun, model: str, *, usual: bool = False) -> Rules:
    """Load the suite's rules; none if a real model answers, for a faster start."""
    if not is_played_by_rules(run, model):
        return {}
    from tasks.baseline import load_rules

    return load_rules(run.suite.name, usual=usual)


def is_played_by_rules(run: ResolvedRun, model: str) -> bool:
    """Whether rules answer for a model."""
    return run.row(model).engine == "extractive"
