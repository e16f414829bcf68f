"""The weightless engine's rules: how each suite's operations are answered without a model.

A suite's module has `RULES` by operation name; an operation may have none. Only `tasks.pipeline`
imports this room, and only when a run uses the engine.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tasks.inference.engines.extractive import Rules


def load_rules(suite: str, *, usual: bool = False) -> Rules:
    """Load a suite's rules by operation name; a suite may have none.

    Args:
        usual: reply as a usual model does where rules differ from it, for estimates.
    """
    module = f"{__name__}.{suite}"
    rules: Rules = import_module(module).RULES if find_spec(module) else {}
    if usual:
        rules = {**rules, **import_module(f"{__name__}.usual").USUAL.get(suite, {})}
    return rules
