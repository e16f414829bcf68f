"""The weightless engine's rules: how each suite's operations are answered without a model.

A suite's module has `RULES` by operation name; an operation may have none. Only `tasks.pipeline`
imports this room, and only when a run uses the engine.
"""

from __future__ import annotations

from collections.abc import Callable

from tasks.inference.engines.extractive import Rules


def load_rules(suite: str) -> Rules:
    """Load a suite's rules by operation name; a suite may have none."""
    return RULES[suite]() if suite in RULES else {}


def _failsafeqa() -> Rules:
    from tasks.baseline import failsafeqa

    return failsafeqa.RULES


def _faith() -> Rules:
    from tasks.baseline import faith

    return faith.RULES


def _tablequest() -> Rules:
    from tasks.baseline import tablequest

    return tablequest.RULES


def _longcontext() -> Rules:
    from tasks.baseline import longcontext

    return longcontext.RULES


def _refusalbench() -> Rules:
    from tasks.baseline import refusalbench

    return refusalbench.RULES


RULES: dict[str, Callable[[], Rules]] = {
    "failsafeqa": _failsafeqa,
    "faith": _faith,
    "tablequest": _tablequest,
    "longcontext": _longcontext,
    "refusalbench": _refusalbench,
}
