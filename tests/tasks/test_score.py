"""Scoring a release beside runs that replace others of the same lake."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tasks.core.rows import Reject
from tasks.lake.lake import ConcurrentChange, Lake, LakeStep
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.score import write_lake_warehouse


def committed(lake: Lake, reason: str) -> None:
    step, identity = LakeStep("other-dev", "ingest"), {"reason": reason}
    reject = Reject(reject_id="r", stage="ingest", parent_id="x", reason=reason, detail="")
    part = lake.write(step, identity, Reject, [reject], suite="all", stage="ingest")
    lake.commit(step, identity, [part])


def test_a_part_that_is_replaced_meanwhile_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")
    lake.make()
    committed(lake, "first")
    listed = Lake.files
    looks: list[dict[str, list[str]]] = []

    def replaced_after_the_first_look(self: Lake, *release: str) -> dict[str, list[str]]:
        looks.append(listed(self, *release))
        if len(looks) == 1:
            committed(self, "second")
        return looks[-1]

    monkeypatch.setattr(Lake, "files", replaced_after_the_first_look)
    file = write_lake_warehouse.fn(resolve(RunSettings(lake=lake.url)))
    assert len(looks) == 2
    with duckdb.connect(file, read_only=True) as connection:
        assert connection.execute("select reason from raw.rejects").fetchall() == [("second",)]


def test_a_lake_that_never_stands_still_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")
    lake.make()
    committed(lake, "only")
    files = lake.files()
    (tmp_path / "lake" / files["rejects"][0]).unlink()
    monkeypatch.setattr(Lake, "files", lambda *_: files)
    with pytest.raises(ConcurrentChange, match="is gone"):
        write_lake_warehouse.fn(resolve(RunSettings(lake=lake.url)))
