"""The warehouse of a lake's releases, with the options and models of their scores; its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.errors import WrongUsage
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake, LakeError
from tasks.pipeline.steps import lake_parameters
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models
from tasks.warehouse.releases import lake_releases

if TYPE_CHECKING:
    import duckdb

Row = TypeVar("Row")

# At most this many names in an error: a lake may hold thousands of cases.
_MOST_NAMES = 12


def opened_warehouse(
    lake: Lake, release: str | None, query: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Open the warehouse of one or all releases; `query` as in `open_warehouse`.

    Raises:
        LakeError: the lake or release does not exist.
    """
    if release is None:
        lake = lake.as_of_now()  # reads each commit once, not once for each argument below
    check_there(lake, release)
    return open_warehouse(
        lake.files(release),
        journal=cache_of(lake),
        parameters=lake_parameters(lake, release),
        models=lake_models(lake, release),
        releases=lake_releases(lake, release),
        query=query,
    )


def rows_of(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a query's rows, each by its columns' names."""
    relation = connection.execute(query, parameters)
    names = [name for name, *_ in relation.description]
    return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


def narrowed(
    rows: Sequence[Row],
    option: str,
    wanted: str | None,
    of: Callable[[Row], str],
    where: str,
) -> list[Row]:
    """Return the rows with the wanted value, or the only available value.

    Raises:
        WrongUsage: no row has it, or no value is wanted and there are several.
    """
    values = sorted({of(row) for row in rows})
    if wanted is None and len(values) > 1:
        raise WrongUsage(
            f"{where} have more than one {option}; choose with --{option}: {', '.join(values)}"
        )
    if wanted is not None and wanted not in values:
        closest = get_close_matches(wanted, values, n=_MOST_NAMES, cutoff=0.0)
        raise WrongUsage(f"{where} have no {option} {wanted!r}; choose from: {', '.join(closest)}")
    return [row for row in rows if wanted is None or of(row) == wanted]


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
