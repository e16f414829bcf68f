"""Engines: groups of calls in, one answer each out. One file each.

An engine is a class with `model`, `identity` and `answer` (see `tasks.inference.operation.Backend`); one that
asks a model has the first two from `tasks.inference.engines.base`. What reaches a server brings one thing only, how one call is sent (`tasks.inference.engines.replica.Replica`): slots,
retries, order and stopping are the same for all. A module is imported when its engine is used, so
that a laptop without Ray, vLLM or LiteLLM starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tasks.inference.operation import Backend, Operation
from tasks.models.catalogue import Model

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules

Operations = Mapping[str, Operation[Any, Any]]


def _extractive(model: Model, operations: Operations, rules: Rules, workers: int | None) -> Backend:
    from tasks.inference.engines.extractive import Extractive

    return Extractive(operations, rules, workers, model.name, refuses=model.refuses)


def _openai(model: Model, operations: Operations, rules: Rules, workers: int | None) -> Backend:
    from tasks.inference.engines.openai import OpenAI

    return OpenAI(model)


def _vllm(model: Model, operations: Operations, rules: Rules, workers: int | None) -> Backend:
    from tasks.inference.engines.vllm import Vllm

    return Vllm(model)


def _litellm(model: Model, operations: Operations, rules: Rules, workers: int | None) -> Backend:
    from tasks.inference.engines.litellm import LiteLLM

    return LiteLLM(model)


ENGINES: dict[str, Callable[[Model, Operations, Rules, int | None], Backend]] = {
    "extractive": _extractive,
    "openai": _openai,
    "litellm": _litellm,
    "vllm": _vllm,
}


def load_engine(
    model: Model, operations: Operations, workers: int | None = None, rules: Rules | None = None
) -> Backend:
    """The engine that runs a model.

    Args:
        operations: what it may be asked, by name; rules need them.
        workers: processes of an engine that computes here; one per core when not given.
        rules: how `extractive` answers operations; other engines need none.
    """
    return ENGINES[model.engine](model, operations, rules or {}, workers)
