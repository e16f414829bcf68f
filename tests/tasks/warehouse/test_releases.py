"""When a lake's releases were made."""

from __future__ import annotations

from pathlib import Path

from tasks.lake.lake import Lake
from tasks.lake.records import Commit, LakeStep, record_of, written_record
from tasks.warehouse.releases import Release, lake_releases


def test_a_frozen_release_keeps_its_time_and_another_takes_its_newest(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    for release in ("2026.11", "dev"):
        for name, day in (("ingest", "2026-11-02"), ("failsafeqa.score", "2027-03-01")):
            commit = Commit(LakeStep(release, name), {}, (), day)
            lake.objects.put(commit.step.key, written_record(record_of(commit)))
    assert lake_releases(lake) == [
        Release("2026.11", True, "2026-11-02"),
        Release("dev", False, "2027-03-01"),
    ]
