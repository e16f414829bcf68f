"""The warehouse of a lake's releases and its rows; whether releases are there and built.

A release is not built if a step behind its cases is missing or out of date: its inputs have been
replaced since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.errors import WrongUsage
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake, LakeError, LakeStep
from tasks.pipeline.plan import built_steps, stale_commits
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, place_options
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models
from tasks.warehouse.releases import lake_parameters, lake_releases

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
    rows: Sequence[Row], option: str, wanted: str | None, of: Callable[[Row], str], where: str
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


def unbuilt_steps(lake: Lake, release: str, suite: str) -> list[str]:
    """List the missing or outdated steps behind a suite's cases, in order; none if it is built.

    Raises:
        UnknownSuite: no suite has this name.
    """
    if lake.commit_of(LakeStep(release, "ingest")) is None:
        return ["ingest"]
    run = RunSettings(lake=lake.url, release=release, suite=suite)
    there = {commit.step.name for commit in lake.commits(release)}
    there -= {commit.step.name for commit in stale_commits(lake, release)}
    return [name for name in built_steps(resolve(run)) if name not in there]


def check_current(lake: Lake, release: str, suite: str) -> None:
    """Raise if inputs of a suite's steps have been made again since.

    Raises:
        LakeError: the message names the steps.
    """
    names = [commit.step.name for commit in stale_commits(lake, release)]
    if outdated := [name for name in names if name.startswith((f"{suite}.", "ingest"))]:
        raise LakeError(
            f"Inputs of {', '.join(outdated)} of release '{release}' have been made again since. "
            "Run the command that made the release again."
        )


def check_built(lake: Lake, release: str, suite: str) -> None:
    """Raise if the release holds only part of its cases.

    Raises:
        LakeError: the release is not built. The message names the steps.
        UnknownSuite: no suite has this name.
    """
    if unbuilt := unbuilt_steps(lake, release, suite):
        place = place_options(lake=lake.url, release=release, suite=suite)
        raise LakeError(
            f"release {release} in {lake.url} is not wholly built: {', '.join(unbuilt)} "
            f"never finished, or their inputs were replaced since. Run `tenkbench "
            f"build{place}` with the original options, or name another release "
            "with --release."
        )
