"""All checks of `tenkbench doctor`, run side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from deployments import server
from flows.cli.doctor import lake, models, ray_nodes
from tasks.core.findings import Finding
from tasks.models.catalogue import find_model


def examine(place: str, model: Sequence[str] = (), models_file: str | None = None) -> list[Finding]:
    """Check a lake, Prefect, Ray and the named models at the same time.

    Raises:
        UnknownModel, WrongModelsFile: a model has no row, or the file is invalid.
    """
    rows = [find_model(name, models_file) for name in dict.fromkeys(model)]
    checks: list[Callable[[], list[Finding]]] = [
        partial(lake.lake, place),
        partial(lake.intact, place),
        server.prefect,
        ray_nodes.ray,
        *(partial(models.model, row) for row in rows),
    ]
    with ThreadPoolExecutor(len(checks)) as pool:
        results = pool.map(lambda check: check(), checks)
    return [finding for findings in results for finding in findings]
