"""All checks of `tenkbench doctor`, run side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from deployments import server
from flows.cli.doctor import edgar, lake, machine, models, ray_nodes
from tasks.core.findings import Finding
from tasks.lake.cache_folder import cache_folder
from tasks.models.catalogue import find_model


def examine(
    place: str,
    model: Sequence[str] = (),
    models_file: str | None = None,
    contact: str | None = None,
) -> list[Finding]:
    """Run all checks at the same time.

    Args:
        place: the lake.
        model: names of models whose servers and keys to check.
        models_file: the user's own models file.
        contact: company and e-mail address that downloads send to EDGAR.

    Raises:
        UnknownModel, WrongModelsFile: a model has no row, or the file is invalid.
    """
    rows = [find_model(name, models_file) for name in dict.fromkeys(model)]
    is_local = "://" not in place
    takes_space = Path(place) if is_local else cache_folder()
    checks: list[Callable[[], list[Finding]]] = [
        partial(lake.lake, place),
        partial(lake.intact, place),
        partial(machine.disk, takes_space, is_lake=is_local),
        server.prefect,
        ray_nodes.ray,
        partial(models.keys, models_file),
        *(partial(models.model, row) for row in rows),
        partial(edgar.edgar, contact),
    ]
    with ThreadPoolExecutor(len(checks)) as pool:
        found = pool.map(lambda check: check(), checks)
    return [finding for findings in found for finding in findings]
