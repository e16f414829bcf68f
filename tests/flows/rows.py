"""What lies in the lake of a run: its rows, and their digests."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from tasks.core.rows import Metric
from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.raw_tables import row_types


def rows_of(settings: RunSettings, row_type: type) -> list:
    lake = Lake(settings.lake)
    return [row for commit in lake.commits(settings.release) for row in lake.read(commit, row_type)]


def digests(settings: RunSettings) -> dict[str, list[str]]:
    """A hash of every row of every table, so that two lakes can be compared."""
    return {
        table: [
            hashlib.sha256(repr(row).encode()).hexdigest() for row in rows_of(settings, row_type)
        ]
        for table, row_type in row_types().items()
    }


def has_rows(settings: RunSettings, step: str, table: str, n_rows: int) -> bool:
    commit = Lake(settings.lake).commit_of(LakeStep(settings.release, step))
    return commit is not None and commit.n_rows(table) == n_rows


def numbers_of(run: RunSettings) -> list[Metric]:
    """The metrics of a release, whatever result set they are of."""
    return [replace(row, score_id="") for row in rows_of(run, Metric)]
