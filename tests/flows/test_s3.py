"""A whole run whose lake is in S3: the very same objects as in a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from flows.benchmark import benchmark
from tasks.lake.lake import Lake
from tasks.lake.objects import Objects, open_objects
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.settings import RunSettings
from tests.flows.typed import succeed


@pytest.fixture
def settings(finished: RunSettings, bucket: str) -> RunSettings:
    return replace(finished, lake=f"{bucket}/lake")


def contents(objects: Objects) -> dict[str, object]:
    """Return a lake's objects; of a commit, all but its time and hash.

    Only a local lake has the warehouse's file.
    """
    found: dict[str, object] = {}
    for stored in objects.list(""):
        data = objects.read(stored.key)
        if stored.key.startswith("_commits/"):
            found[stored.key] = {**json.loads(data), "committed_at": None, "sha256": None}
        elif stored.key != "warehouse.duckdb":
            found[stored.key] = data
    return found


def test_it_leaves_the_very_same_objects_as_in_a_folder(
    finished: RunSettings, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark(settings)
    here, there = contents(open_objects(finished.lake)), contents(open_objects(settings.lake))
    assert there.keys() == here.keys()
    assert [key for key in here if there[key] != here[key]] == []
    assert any(key.startswith("metrics/") for key in here)

    assert has_nothing_to_do(Lake(settings.lake), settings)

    # what reads the lake reads it there
    told = {}
    for lake in (finished.lake, settings.lake):
        query = (
            "select * from failsafeqa.robustness union all by name select * "
            "from failsafeqa.context_grounding"
        )
        succeed("sql", query, "--lake", lake, "--json")
        succeed("sql", "select * from raw.cases order by all", "--lake", lake, "--json")
        succeed(
            "explain", "--metric", "robustness", "--model", "extractive", "--lake", lake, "--json"
        )
        succeed("export", "failsafeqa", str(tmp_path / "cases.jsonl"), "--lake", lake)
        told[lake] = capsys.readouterr().out.replace(lake, "LAKE")
    assert told[settings.lake] == told[finished.lake]
