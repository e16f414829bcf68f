"""Which steps a release still needs before it is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.lake.lake import Lake, LakeStep
from tasks.pipeline.plan import built_steps
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import unbuilt_steps

RELEASE = "2026Q3"
SUITE = "failsafeqa"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake whose release is built, as far as commits say."""
    lake = Lake(tmp_path)
    ingested = lake.commit(LakeStep(RELEASE, "ingest"), {"inputs": {}}, [])
    for name in built_steps(resolve(RunSettings(lake=str(tmp_path), release=RELEASE))):
        lake.commit(LakeStep(RELEASE, name), {"inputs": {"ingest": ingested.content}}, [])
    return lake


def test_a_built_release_needs_nothing(lake: Lake) -> None:
    assert unbuilt_steps(lake, RELEASE, SUITE) == []


def test_a_step_that_is_not_there_is_needed(lake: Lake) -> None:
    for name in ("failsafeqa.build.cases.ocr", "failsafeqa.build.contexts"):
        commit = lake.commit_of(LakeStep(RELEASE, name))
        assert commit is not None
        lake.retire(commit)
    assert unbuilt_steps(lake, RELEASE, SUITE) == [
        "failsafeqa.build.contexts",
        "failsafeqa.build.cases.ocr",
    ]


def test_a_step_that_was_made_from_what_is_no_longer_there_is_needed(lake: Lake) -> None:
    name = "failsafeqa.build.cases.ocr"
    lake.commit(LakeStep(RELEASE, name), {"inputs": {"ingest": "what it was"}}, [])
    assert unbuilt_steps(lake, RELEASE, SUITE) == [name]


def test_of_a_published_file_all_is_one_step(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    assert unbuilt_steps(lake, RELEASE, SUITE) == ["ingest"]
    lake.commit(LakeStep(RELEASE, "ingest"), {"inputs": {}, "dataset": {"name": "rows.jsonl"}}, [])
    assert unbuilt_steps(lake, RELEASE, SUITE) == ["failsafeqa.build.dataset"]
