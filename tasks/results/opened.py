"""The warehouse of a lake's releases, with the options and models of their scores; its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.steps import lake_parameters
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models
from tasks.warehouse.releases import lake_releases

if TYPE_CHECKING:
    import duckdb


def opened_warehouse(
    lake: Lake, release: str | None, asked: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Open the warehouse of one or all releases; `asked` as in `open_warehouse`.

    Raises:
        LakeError: the lake or release does not exist.
    """
    if release is None:
        lake = lake.as_of_now()  # reads each commit once, not once for each argument below
    check_there(lake, release)
    return open_warehouse(
        lake.files(release),
        journal=cache_of(lake.url),
        parameters=lake_parameters(lake, release),
        models=lake_models(lake, release),
        releases=lake_releases(lake, release),
        asked=asked,
    )


def rows_of(
    connection: duckdb.DuckDBPyConnection, query: str, given: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a query's rows, each by its columns' names."""
    found = connection.execute(query, given)
    names = [name for name, *_ in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def check_there(lake: Lake, release: str | None) -> None:
    """Raise if a lake is empty or lacks a release.

    Raises:
        LakeError: the message lists the releases, or says how to make one.
    """
    if lake.commits(release):
        return
    what = "lake" if release is None else f"release '{release}'"
    fix = f"Make one:\n    tenkbench run --lake {lake.url}"
    if others := lake.releases():
        fix = f"Choose one of: {', '.join(others)}"
    raise LakeError(f"No {what} in '{lake.url}'. {fix}")
