"""Engines, one file each: they answer each call once.

An engine is a class with `model`, `identity` and `answer` (`tasks.inference.operation.Backend`).
Engines that reach a server only define how to send one call (`tasks.inference.engines.replica`).
A module is imported when its engine is used, so a laptop without Ray or LiteLLM starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from tasks.inference.engines.extractive import Extractive, Rules
from tasks.inference.operation import Backend, Operation
from tasks.models.catalogue import Model

Operations = Mapping[str, Operation[Any, Any]]


class EngineOfRow:
    """An engine for the model of one catalogue row; subclasses define `answer`."""

    def __init__(self, row: Model) -> None:
        self.row = row
        self.model = row.name
        self.identity: str = row.identity


def _at(module: str, name: str) -> Callable[[Model, Operations, Rules], Backend]:
    return lambda model, *_: getattr(import_module(f"tasks.inference.{module}"), name)(model)


ENGINES: dict[str, Callable[[Model, Operations, Rules], Backend]] = {
    "extractive": lambda model, operations, rules: Extractive(
        operations, rules, model.name, refuses=model.refuses
    ),
    "openai": _at("engines.openai", "OpenAI"),
    "litellm": _at("engines.litellm", "LiteLLM"),
    "vllm": _at("engines.vllm", "Vllm"),
    "imported": _at("imported", "ImportedAnswers"),
}


def load_engine(model: Model, operations: Operations, rules: Rules | None = None) -> Backend:
    """Return the engine that runs a model; all but the model is for `extractive`."""
    return ENGINES[model.engine](model, operations, rules or {})
