"""Damaged parts and records: never other numbers, always named, removed on request."""

from __future__ import annotations

import os
import random
import re
from contextlib import suppress
from pathlib import Path

import pytest

from tasks.core.rows import Prefix
from tasks.lake.lake import ConcurrentChange, Lake
from tasks.lake.records import Commit, Damaged
from tests.tasks.lake.test_lake import STEP, commit, lake, prefix

__all__ = ["lake"]  # the fixture: a folder and S3

N_FLIPS = 40


def flip(path: Path, bit: int) -> None:
    """Flip one bit of a file in place, and set its times back."""
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def file_of(lake: Lake, found: Commit) -> Path:
    return lake.objects.file(found.parts[0].path)


@pytest.mark.parametrize("is_read_before", [False, True])
def test_no_flipped_bit_of_a_part_is_read(tmp_path: Path, is_read_before: bool) -> None:
    lake = Lake(tmp_path / "lake")
    found = commit(lake, list(range(200)), {})
    path = file_of(lake, found)
    drawn = random.Random(f"flips {is_read_before}")
    for _ in range(N_FLIPS):
        bit = drawn.randrange(path.stat().st_size * 8)
        if is_read_before:
            assert len(lake.read(found, Prefix)) == 200
        flip(path, bit)
        with pytest.raises(Damaged, match=re.escape(f"tenkbench repair --lake {lake.url}")):
            lake.read(found, Prefix)
        with pytest.raises(Damaged, match=re.escape(found.parts[0].path)):
            lake.files()["prefixes"]
        flip(path, bit)
    assert len(lake.read(found, Prefix)) == 200


def test_a_damaged_copy_of_a_part_in_s3_is_fetched_again(bucket: str) -> None:
    lake = Lake(f"{bucket}/lake")
    found = commit(lake, [1], {})
    flip(file_of(lake, found), 300)
    assert lake.read(found, Prefix) == [prefix(1)]


@pytest.mark.parametrize("written", ["", "{", "{}", "[]", "null", "7", '{"parts": []}x', "\udcff"])
def test_a_damaged_record_is_named(lake: Lake, written: str) -> None:
    commit(lake, [1], {})
    lake.objects.put(STEP.key, written.encode("utf-8", "surrogateescape"))
    with pytest.raises(Damaged, match=re.escape(f"{STEP.key} in {lake.url} is damaged")):
        lake.commit_of(STEP)


def test_no_flipped_bit_of_a_record_is_read(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    found = commit(lake, [1, 2], {"seed": 1})
    path = tmp_path / "lake" / STEP.key
    drawn = random.Random("records")
    for _ in range(N_FLIPS):
        bit = drawn.randrange(path.stat().st_size * 8)
        flip(path, bit)
        with suppress(Damaged):
            assert lake.commit_of(STEP) == found  # a flip between tokens changes nothing
        flip(path, bit)


@pytest.mark.parametrize("what", ["part", "record", "gone"])
def test_a_damaged_step_is_found_taken_back_and_made_again(lake: Lake, what: str) -> None:
    found = commit(lake, [1, 2], {})
    other = commit(
        lake, [3], {}, step=type(STEP)(STEP.release, "failsafeqa.build.cases.incomplete")
    )
    assert lake.damaged() == []
    if what == "part":
        lake.objects.put(found.parts[0].path, b"other bytes")
    elif what == "gone":
        lake.objects.delete([found.parts[0].path])
        file_of_copy = lake.here / found.parts[0].path
        file_of_copy.unlink(missing_ok=True)
        with pytest.raises(ConcurrentChange, match="tenkbench repair"):
            lake.read(found, Prefix)
    else:
        lake.objects.put(STEP.key, b"{}")
    ((step, why),) = lake.damaged()
    assert step == STEP
    assert (STEP.key if what == "record" else found.parts[0].path) in why
    lake.take_back(step)
    assert lake.commit_of(STEP) is None
    assert lake.commits() == [other]
    assert lake.damaged() == []
    again = commit(lake, [1, 2], {})
    assert again.content == found.content
    assert lake.read(again, Prefix) == [prefix(1), prefix(2)]
