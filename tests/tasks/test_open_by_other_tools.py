"""Every table's folder, opened by pandas, Polars, DuckDB and PyArrow with their defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.lake.lake import Lake, LakeStep
from tasks.warehouse.raw_tables import row_types
from tests.tasks.core.test_rows import row_of

TABLES = row_types()
# The columns of a table that a tool has read, each with its values.
Read = dict[str, list[Any]]


def by_pandas(folder: Path) -> Read:
    return pandas.read_parquet(folder).to_dict("list")


def by_polars(folder: Path) -> Read:
    return polars.read_parquet(folder).to_dict(as_series=False)


def by_polars_lazily(folder: Path) -> Read:
    scanned = polars.scan_parquet(folder / "**/*.parquet", hive_partitioning=True)
    return scanned.collect().to_dict(as_series=False)


def by_duckdb(folder: Path) -> Read:
    with duckdb.connect() as connection:
        table = connection.sql(f"from read_parquet('{folder}/**/*.parquet')").to_arrow_table()
    return table.to_pydict()


def by_pyarrow(folder: Path) -> Read:
    return pq.read_table(folder).to_pydict()


def by_pyarrow_dataset(folder: Path) -> Read:
    return ds.dataset(folder, partitioning="hive").to_table().to_pydict()


TOOLS = [by_pandas, by_polars, by_polars_lazily, by_duckdb, by_pyarrow, by_pyarrow_dataset]


@cache  # each tool's rows are compared with it
def by_us(lake: Lake, table: str) -> Read:
    """Read a table by `Lake.rows_of`, with the keys that its rows lack."""
    parts = [part for commit in lake.commits() for part in commit.parts_of(table)]
    rows_of = lake.rows_of
    records = [
        dict(part.keys) | to_record(row) for part in parts for row in rows_of(part, TABLES[table])
    ]
    names = dict.fromkeys([*arrow_schema(TABLES[table]).names, *table_of(TABLES[table]).keys])
    return {name: [record[name] for record in records] for name in names}


def compare(lake: Lake, table: str, tool: Callable[[Path], Read]) -> None:
    """Compare the columns' names, and the rows by their keys and first column."""
    ours, theirs = by_us(lake, table), tool(lake.here / table)
    assert theirs.keys() == ours.keys()
    told = (arrow_schema(TABLES[table]).names[0], *table_of(TABLES[table]).keys)

    def rows(read: Read) -> Counter[tuple[str, ...]]:
        return Counter(zip(*(map(str, read[name]) for name in told), strict=True))

    assert rows(ours) == rows(theirs)


@pytest.fixture(
    scope="module",
    params=[
        ("0", "2018"),
        ("org/name x", "2018-12-31"),
        ("0", "2018", "2018-12-31", "dev"),
        ("org/name x", "2018Q1", "2019"),
    ],
    ids="+".join,
)
def oddly_named(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A lake of such releases, with full, sparse and no rows of each type; keys have one text."""
    text, *releases = request.param
    lake = Lake(tmp_path_factory.mktemp("oddly_named"))
    for release in releases:
        step, parts = LakeStep(release, "made"), []
        for row_type in TABLES.values():
            keys = dict.fromkeys(table_of(row_type).keys, text) | {"release": release}
            if "setting" in keys:
                keys["setting"] = "multi"  # of a closed set
            columns = {key: keys[key] for key in keys if key in arrow_schema(row_type).names}
            rows = [replace(row_of(row_type, is_full), **columns) for is_full in (True, False)]
            del keys["release"]
            parts.append(lake.write(step, {}, row_type, rows, **keys))
            parts.append(lake.write(step, {}, row_type, [], 1, **keys))
        lake.commit(step, {}, parts)
    return lake


@pytest.mark.parametrize("tool", TOOLS)
def test_names_like_numbers_and_dates_are_read(
    oddly_named: Lake, tool: Callable[[Path], Read]
) -> None:
    for table in TABLES:
        compare(oddly_named, table, tool)
