"""Inputs of a suite's build step, without a lake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tasks.suites.registry import load_suite
from tasks.suites.suite import StepInputs


def step_inputs(
    suite: str,
    *rows: Any,
    shard: Sequence[Any] = (),
    parts: Iterable[Sequence[Any]] | None = None,
    engines: Any = None,
    models: Any = None,
    seed: int = 0,
    encoding: str = "cl100k_base",
    **options: Any,
) -> StepInputs:
    """Make the inputs of a step that reads these rows; `parts` are those that it reads by part."""

    def read(row_type: type, only: Any = None) -> list[Any]:
        typed = [row for row in rows if isinstance(row, row_type)]
        return [row for row in typed if only is None or getattr(row, only[0]) in only[1]]

    def read_parts(*row_types: type) -> Iterator[tuple[list[Any], ...]]:
        for part in [rows] if parts is None else parts:
            yield tuple([row for row in part if isinstance(row, kind)] for kind in row_types)

    return StepInputs(
        suite=suite,
        shard=shard,
        rows=read,
        parts=read_parts,
        engines=engines or {},
        models=models or {},
        options=load_suite(suite).options(**options),
        seed=seed,
        encoding=encoding,
    )
