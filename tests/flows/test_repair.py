"""A damaged step of a finished run: named, removed, made again, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.benchmark import benchmark
from flows.cli.doctor.doctor import intact
from tasks.inference.cache.response_cache import cache_of
from tasks.lake.lake import Lake
from tasks.lake.records import Damaged
from tasks.pipeline.plan import has_nothing_to_do
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import digests, numbers_of
from tests.flows.typed import succeed
from tests.journals import answered

STEPS = ("ingest", "failsafeqa.build.qa_pairs", "failsafeqa.infer.extractive")


def test_damaged_steps_of_a_frozen_release_are_made_again_and_no_number_changes(
    frozen: RunSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = Lake(frozen.lake)
    before, numbers = digests(frozen), numbers_of(frozen)
    commits = {commit.step.name: commit for commit in lake.commits(frozen.release)}
    for step in STEPS:
        path = lake.here / next(part.path for part in commits[step].parts if part.n_rows)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)
        with pytest.raises(Damaged, match="tenkbench repair"):
            lake.files()[path.relative_to(lake.here).parts[0]]
    succeed("repair", "--lake", frozen.lake)
    said = capsys.readouterr().err
    for step in STEPS:
        assert f"removed {step} of release {frozen.release}" in said
    assert f"Run the command or deployment that made the release ({frozen.release}) again" in said
    assert not has_nothing_to_do(lake, frozen)
    benchmark(frozen)
    assert has_nothing_to_do(lake, frozen)
    assert (digests(frozen), numbers_of(frozen)) == (before, numbers)
    made = {
        commit.step.name
        for commit in lake.commits(frozen.release)
        if commit.committed_at != commits[commit.step.name].committed_at
    }
    assert made <= {*STEPS, "failsafeqa.score"}


def test_a_damaged_response_cache_is_told(tmp_path: Path) -> None:
    cache = cache_of(Lake(str(tmp_path)))
    cache.store(answered("key-1"), answered("key-2")).result()
    cache.close()
    (finding,) = intact(str(tmp_path))
    assert (finding.outcome, finding.found.partition(", and ")[2]) == (
        "ok",
        "2 stored answers are there",
    )
    cache.path.write_bytes(b"x" * cache.path.stat().st_size)
    (finding,) = intact(str(tmp_path))
    assert finding.outcome == "not ok"
    assert "restore it from a copy" in finding.found
