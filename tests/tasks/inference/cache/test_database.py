"""What can be wrong with a lake's SQLite file, and with whoever opens it, told in a sentence."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.inference.cache import tables
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import KIND, CacheError
from tests.journals import add, python, saying


def of_layout(layout: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        with sqlite3.connect(path) as database:
            database.execute(f"pragma application_id = {KIND}")
            database.execute(f"pragma user_version = {layout}")
        database.close()
        return path.read_bytes()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not a database" * 1000, "file is not a database"),
        (b"", "is not a response cache, or was emptied"),
        (of_layout(99), "has layout 99, and this tenkbench reads 6"),
    ],
    ids=["damaged", "emptied", "newer"],
)
def test_a_file_that_is_no_cache_is_named_and_left_as_it_is(
    opened: Callable[[], ResponseCache], journal_path: Path, content: bytes, why: str
) -> None:
    journal_path.parent.mkdir(parents=True)
    journal_path.write_bytes(content)
    for use in (lambda: opened().find(["k1"]), opened().prepare, opened().check):
        with pytest.raises(CacheError, match=rf"journal\.sqlite.*{why}.* left it as it is"):
            use()
    assert journal_path.read_bytes() == content


def test_a_new_file_is_on_disk_before_it_has_its_name(
    opened: Callable[[], ResponseCache], journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, move = os.fsync, os.replace

    def flushed(handle: int) -> None:
        done.append(f"flushed {Path(os.readlink(f'/proc/self/fd/{handle}')).name}")
        fsync(handle)

    def moved(source: Path, target: Path) -> None:
        assert not Path(f"{source}-wal").exists()  # all of it is in the file
        done.append(f"moved {target.name}")
        move(source, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", moved)
    opened().prepare()
    folder = journal_path.parent.name
    assert done == ["flushed journal.sqlite", "moved journal.sqlite", f"flushed {folder}"]


def test_the_log_of_a_lost_file_is_not_played_into_a_new_one(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    journal_path.parent.mkdir(parents=True)
    journal_path.with_name("journal.sqlite-wal").write_bytes(b"answers")
    with pytest.raises(CacheError, match=r"is gone, but journal\.sqlite-wal"):
        opened().prepare()
    assert not journal_path.exists()


def test_a_full_disk_is_told_and_what_was_kept_stays(
    opened: Callable[[], ResponseCache], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = tables._connect

    def small(path: Path) -> sqlite3.Connection:
        made = connect(path)
        made.execute("pragma max_page_count = 12")
        return made

    monkeypatch.setattr(tables, "_connect", small)
    kept = opened()
    add(kept, "k1")
    with pytest.raises(CacheError, match=r"the response cache .* is full"):
        add(kept, "k2", saying("x" * 100_000))
    assert add(kept, "k3", saying("small")) == saying("small")
    assert set(kept.find(["k1", "k2", "k3"])) == {"k1", "k3"}


AS_A_GUEST = """
import os, sys
from pathlib import Path
from tasks.core.errors import RunFailed
from tasks.inference.cache.response_cache import ResponseCache

elsewhere = ResponseCache(Path(sys.argv[1]).parents[2] / "elsewhere" / "journal.sqlite")
elsewhere.prepare()  # has everything imported while it may be read
elsewhere.close()
if os.geteuid() == 0:  # root may write anywhere
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
cache = ResponseCache(Path(sys.argv[1]))
print([values[0] for portion in cache.purchases() for values in portion], cache.check())
try:
    cache.prepare()
except RunFailed as error:
    print(error)
"""


@pytest.mark.parametrize("is_open", [False, True], ids=["nobody writes", "a run writes"])
def test_a_read_only_cache_is_read_and_refused_before_anything_is_sent(is_open: bool) -> None:
    """Who may read can ask what a lake has cost; `prepare` comes before the first call."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to other users
        path = Path(folder, "lake", "_ledger", "journal.sqlite")
        kept = ResponseCache(path)
        add(kept, "k1")
        if not is_open:
            kept.close()
        locked = [path.parent, *path.parent.iterdir()]
        Path(folder).chmod(0o755)
        for file in locked:
            file.chmod(0o555)
        printed, problem = python(AS_A_GUEST, path).communicate(timeout=240)
        for file in locked:
            file.chmod(0o755)
        kept.close()
    first, *refused = printed.splitlines()
    assert first == "['k1'] 1", problem
    if not is_open:
        assert refused[0].startswith(f"cannot use the response cache {path}: ")
