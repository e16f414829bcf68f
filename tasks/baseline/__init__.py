"""The weightless engine's rules: how each suite's operations are answered without a model.

A suite's module has `RULES` by operation name; an operation may have none. Only `tasks.pipeline`
imports this room, and only when a run uses the engine.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tasks.inference.engines.extractive import Rules


def load_rules(suite: str) -> Rules:
    """Load a suite's rules by operation name; a suite may have none."""
    module = f"{__name__}.{suite}"
    rules: Rules = import_module(module).RULES if find_spec(module) else {}
    return rules
