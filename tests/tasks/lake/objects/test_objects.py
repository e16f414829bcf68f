"""Guarantees of both implementations: the same tests on a folder and on S3."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from tasks.lake.objects import LakeError, NoSuchObject, Objects, open_objects


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "lake")
    return f"{request.getfixturevalue('bucket')}/some/prefix"


@pytest.fixture
def objects(place: str) -> Objects:
    return open_objects(place)


def test_names_a_missing_object(objects: Objects) -> None:
    objects.put("a/b", b"")
    for ask in (objects.read, objects.read_versioned, objects.file):
        for key in ("nothing", "a/b/below-an-object"):
            with pytest.raises(NoSuchObject, match=f"there is no {key} in {objects.url}"):
                ask(key)
    assert [objects.exists(key) for key in ("a/b", "a", "nothing")] == [True, False, False]


def test_create_leaves_an_existing_object(objects: Objects) -> None:
    assert objects.create("a/b", b"first") is True
    assert objects.create("a/b", b"second") is False
    assert objects.create("a/b", b"first") is False
    assert objects.read("a/b") == b"first"


def test_replace_needs_the_current_version(objects: Objects) -> None:
    objects.put("a", b"1")
    _, first = objects.read_versioned("a")
    assert objects.replace("a", b"2", first) is True
    assert objects.replace("a", b"3", first) is False
    content, second = objects.read_versioned("a")
    assert content == b"2"
    objects.delete(["a"])
    assert objects.replace("a", b"4", second) is False
    assert not objects.exists("a")


def test_lists_by_key_and_whole_folders(objects: Objects) -> None:
    before = time.time()
    keys = ["a/release=1/x", "a/release=1-dev/x", "a/release=1/y/z", "a/release=10/x", "b"]
    for key in keys:
        objects.put(key, key.encode())
    found = list(objects.list("a/release=1"))
    assert [stored.key for stored in found] == ["a/release=1/x", "a/release=1/y/z"]
    assert all(before - 2 <= stored.modified_at <= time.time() + 2 for stored in found)
    assert [stored.key for stored in objects.list("")] == sorted(keys)
    assert list(objects.list("nothing")) == []


def test_lists_and_removes_more_than_one_page(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tasks.lake.objects import s3

    monkeypatch.setattr(s3, "_PAGE", 3)
    keys = [f"many/{number}" for number in range(8)]
    for key in keys:
        objects.put(key, b"")
    assert [stored.key for stored in objects.list("many")] == keys
    objects.delete(iter(keys))
    assert list(objects.list("many")) == []


def test_file_has_the_objects_content(objects: Objects) -> None:
    objects.put("a/part-1.parquet", b"content")
    file = objects.file("a/part-1.parquet")
    assert file.read_bytes() == b"content"
    assert file == objects.here / "a/part-1.parquet"
    objects.delete(["a/part-1.parquet"])
    assert not file.exists()


def _writes(place: str, rounds: int, results: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    """Try to be the first writer of each round, and add one to a counter each time."""
    objects, won = open_objects(place), 0
    for number in range(rounds):
        won += objects.create(f"rounds/{number}", str(number).encode())
        while True:
            content, version = objects.read_versioned("counter")
            if objects.replace("counter", str(int(content) + 1).encode(), version):
                break
    results.put(won)


def test_one_of_several_writers_wins_and_no_write_is_lost(objects: Objects, place: str) -> None:
    """Processes race for each object: one wins, and every increment counts."""
    spawn = multiprocessing.get_context("spawn")
    results, rounds = spawn.Queue(), 12
    objects.put("counter", b"0")
    writers = [spawn.Process(target=_writes, args=(place, rounds, results)) for _ in range(3)]
    for writer in writers:
        writer.start()
    won = [results.get(timeout=240) for _ in writers]
    for writer in writers:
        writer.join()
    assert sum(won) == rounds
    assert objects.read("counter") == str(3 * rounds).encode()


@pytest.mark.parametrize(
    "lake", ["gs://bucket/lake", "https://key:secret@bucket/lake", "S3://bucket", "s3:/bucket/x"]
)
def test_refuses_another_kind_of_address(lake: str) -> None:
    with pytest.raises(LakeError, match=r"what begins with \w+:/.* is neither"):
        open_objects(lake)


@pytest.mark.parametrize(
    "lake", ["s3://", "s3:///prefix", "s3://key:secret@host/prefix", "s3://b/p?versionId=1"]
)
def test_refuses_a_malformed_s3_address(lake: str) -> None:
    with pytest.raises(LakeError, match="Write s3://bucket/prefix") as refused:
        open_objects(lake)
    assert "secret" not in str(refused.value)
