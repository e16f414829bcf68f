"""A part's rows can be read without the others'."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tasks.core.rows import Prefix
from tasks.lake.lake import Lake
from tests.tasks.lake.test_lake import KEYS, STEP


def test_reads_only_the_row_groups_of_wanted_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Prefix(prefix_id=f"prefix-{n}", text=f"{n} " * 100_000, n_tokens=n) for n in range(40)]
    lake = Lake(tmp_path)
    commit = lake.commit(STEP, {}, [lake.write(STEP, {}, Prefix, rows, **KEYS)])
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def counted(file: pq.ParquetFile, group: int, *given: object, **named: object) -> object:
        table = whole(file, group, *given, **named)
        read.append(table.num_rows if "text" in table.column_names else 0)
        return table

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    assert lake.read(commit, Prefix, ("prefix_id", {"prefix-7", "prefix-31"})) == [
        rows[7],
        rows[31],
    ]
    assert sum(read) <= 10


def test_reading_holds_a_row_group_and_not_the_part(tmp_path: Path) -> None:
    rows = [Prefix(prefix_id=f"prefix-{n}", text=f"{n} " * 100_000, n_tokens=n) for n in range(40)]
    lake = Lake(tmp_path)
    commit = lake.commit(STEP, {}, [lake.write(STEP, {}, Prefix, rows, **KEYS)])
    n_bytes = sum(len(row.text) for row in rows)
    del rows
    tracemalloc.start()
    try:
        assert sum(len(row.text) for row in lake.each(commit, Prefix)) == n_bytes
        assert tracemalloc.get_traced_memory()[1] < n_bytes / 2
    finally:
        tracemalloc.stop()
