"""Every table's folder, opened by pandas, Polars, DuckDB and PyArrow with their defaults."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.core.rows import Reject
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Lake, Step
from tasks.pipeline.resolved import settings_of
from tasks.warehouse.raw_tables import row_types
from tests.once import made_once
from tests.tasks.core.test_rows import row_of
from tests.without_prefect import flows_as_functions

TABLES = row_types()
# Tables of which the two runs below have no part: nobody audits or votes, and no model judges. The
# others are TableQuest's and long context's.
NOT_RUN = {"audit_items", "audits", "attack_verdicts", "votes"} | {
    *("question_items", "question_audits"),
    *("drafts", "verifications"),
    *("news", "articles", "queries", "similar_companies"),
    *("barred_articles", "planned_records", "records", "placed_articles"),
    *("file_questions", "base_questions", "base_answers", "perturbations", "verifier_votes"),
}
EMPTY = {"votes", "comparisons"}  # no panel votes, and a model alone is compared with none
PERTURBATIONS = (
    "misspelled",
    "incomplete",
    "out_of_domain",
    "ocr",
    "missing_context",
    "irrelevant_context",
)
STAGES = {"ingest", "contexts", "qa_pairs", "dataset"}
STAGES |= {f"cases.{name}" for name in PERTURBATIONS}

# The columns of a table that a tool has read, each with its values.
Read = dict[str, list[Any]]


def by_pandas(folder: Path) -> Read:
    import pandas

    return pandas.read_parquet(folder).to_dict("list")


def by_polars(folder: Path) -> Read:
    import polars

    return polars.read_parquet(folder).to_dict(as_series=False)


def by_polars_lazily(folder: Path) -> Read:
    import polars

    scanned = polars.scan_parquet(folder / "**/*.parquet", hive_partitioning=True)
    return scanned.collect().to_dict(as_series=False)


def by_duckdb(folder: Path) -> Read:
    with duckdb.connect() as connection:
        found = connection.execute(f"from read_parquet('{folder}/**/*.parquet')")
        names, rows = [column[0] for column in found.description], found.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def by_pyarrow(folder: Path) -> Read:
    import pyarrow.parquet as pq

    return pq.read_table(folder).to_pydict()


def by_pyarrow_dataset(folder: Path) -> Read:
    import pyarrow.dataset as ds

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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A lake of a run of each suite on one sample filing, in a release whose name is a number."""

    def make(folder: Path) -> None:
        from flows.benchmark import benchmark

        (folder / "filings").mkdir()
        shutil.copy(sample_folder() / "brackwater-2018.htm", folder / "filings")
        run = settings_of(
            lake=str(folder / "lake"),
            release="2018",
            filings=str(folder / "filings"),
            pairs=1,
            judge_repeats=1.0,
            workers=1,
        )
        with flows_as_functions():
            benchmark(run)
            benchmark(replace(run, suite="faith", judge_repeats=0.0))

    return Lake(made_once(tmp_path_factory, "built_of_both_suites", make) / "lake")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("table", [table for table in TABLES if table not in NOT_RUN])
def test_a_table_is_read_as_we_read_it(
    built: Lake, table: str, tool: Callable[[Path], Read]
) -> None:
    compare(built, table, tool)
    assert any(commit.n_rows(table) for commit in built.commits()) == (table not in EMPTY)


def test_rejects_are_of_a_known_stage(built: Lake) -> None:
    rejects = [row for commit in built.commits() for row in built.read(commit, Reject)]
    assert {reject.stage for reject in rejects} <= STAGES
    parts = [part for commit in built.commits() for part in commit.parts_of("rejects")]
    assert {dict(part.keys)["stage"] for part in parts} <= STAGES


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
        step, parts = Step(release, "made"), []
        for row_type in TABLES.values():
            keys = dict.fromkeys(table_of(row_type).keys, text) | {"release": release}
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
