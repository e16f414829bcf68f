"""Engines, one file each: they answer each call once.

An engine is a class with `model`, `identity` and `answer` (`tasks.inference.operation.Backend`).
Engines that reach a server only define how to send one call (`tasks.inference.engines.replica`).
A module is imported when its engine is used, so a laptop without Ray or LiteLLM starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tasks.inference.operation import Backend, Operation
from tasks.models.catalogue import Model

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules

Operations = Mapping[str, Operation[Any, Any]]


class EngineOfRow:
    """An engine for the model of one catalogue row; subclasses define `answer`."""

    def __init__(self, row: Model) -> None:
        self.row = row
        self.model = row.name
        self.identity: str = row.identity


def _at(module: str, name: str) -> Callable[[Model, Operations, Rules], Backend]:
    return lambda model, operations, rules: getattr(import_module(module), name)(model)


def _extractive(model: Model, operations: Operations, rules: Rules) -> Backend:
    from tasks.inference.engines.extractive import Extractive

    return Extractive(operations, rules, model.name, refuses=model.refuses)


ENGINES: dict[str, Callable[[Model, Operations, Rules], Backend]] = {
    "extractive": _extractive,
    "openai": _at("tasks.inference.engines.openai", "OpenAI"),
    "litellm": _at("tasks.inference.engines.litellm", "LiteLLM"),
    "vllm": _at("tasks.inference.engines.vllm", "Vllm"),
    "imported": _at("tasks.inference.imported", "ImportedAnswers"),
}


def load_engine(model: Model, operations: Operations, rules: Rules | None = None) -> Backend:
    """Return the engine that runs a model; all but the model is for `extractive`."""
    return ENGINES[model.engine](model, operations, rules or {})
