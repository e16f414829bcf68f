"""Engines: calls in, one response each out, in any order. One file each.

An engine's module is imported when the engine is used, so that a laptop without Ray, vLLM or
LiteLLM starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tasks.models import Model, find_model
from tasks.operations import Engine, Operation

Operations = Mapping[str, Operation[Any, Any]]


def _extractive(model: Model, operations: Operations, workers: int | None) -> Engine:
    from tasks.engines.extractive import Extractive

    return Extractive(operations, workers)


ENGINES: dict[str, Callable[[Model, Operations, int | None], Engine]] = {"extractive": _extractive}


def load_engine(model_name: str, operations: Operations, workers: int | None = None) -> Engine:
    """The engine that runs a model.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    model = find_model(model_name)
    return ENGINES[model.engine](model, operations, workers)
