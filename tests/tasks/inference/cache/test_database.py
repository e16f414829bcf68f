"""What can be wrong with a lake's SQLite files, and with whoever opens them, told in a sentence."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tasks.inference.cache import tables
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tests.journals import RESPONSE, add, bought, python, saying


def test_a_damaged_file_is_named_and_left_as_it_is(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    journal_path.parent.mkdir(parents=True)
    journal_path.write_bytes(b"not a database" * 1000)
    with pytest.raises(
        CacheError, match=r"journal\.sqlite: file is not a database.* left it as it is"
    ):
        opened().find(["k1"])
    with pytest.raises(CacheError, match=r"journal\.sqlite: file is not a database"):
        opened().prepare()
    assert journal_path.read_bytes() == b"not a database" * 1000


def test_an_emptied_file_is_not_taken_for_a_new_ledger(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    journal_path.parent.mkdir(parents=True)
    journal_path.touch()
    with pytest.raises(CacheError, match="not a response cache of tenkbench, or was emptied"):
        opened().prepare()
    assert journal_path.read_bytes() == b""


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
    assert done == [
        "flushed journal.sqlite",
        "moved journal.sqlite",
        f"flushed {journal_path.parent.name}",
    ]


def test_the_log_of_a_lost_file_is_not_played_into_a_new_one(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    journal_path.parent.mkdir(parents=True)
    journal_path.with_name("journal.sqlite-wal").write_bytes(b"answers")
    with pytest.raises(CacheError, match=r"is gone, but journal\.sqlite-wal"):
        opened().prepare()
    assert not journal_path.exists()


@pytest.mark.parametrize(("layout", "age"), [(99, "a newer"), (5, "an earlier")])
def test_a_ledger_of_another_layout_is_refused(
    opened: Callable[[], ResponseCache], journal_path: Path, layout: int, age: str
) -> None:
    opened().prepare()
    with sqlite3.connect(journal_path) as direct:
        direct.execute(f"pragma user_version = {layout}")
    for read in (lambda: opened().find(["k1"]), lambda: bought(ResponseCache(journal_path))):
        with pytest.raises(
            CacheError, match=rf"{age} tenkbench .layout {layout}, this one reads 6"
        ):
            read()


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
    with pytest.raises(CacheError, match=r"the response cache .* is full.*Answers so far are kept"):
        add(kept, "k2", saying("x" * 100_000))
    assert add(kept, "k3", saying("small")) == saying("small")
    assert set(kept.find(["k1", "k2", "k3"])) == {"k1", "k3"}


def test_a_file_that_another_program_holds_is_waited_for_and_then_told(
    opened: Callable[[], ResponseCache], journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BUSY_S", 0.2)
    kept = opened()
    add(kept, "k1")
    other = sqlite3.connect(journal_path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(CacheError, match=r"locked.* Close the program that has it"):
        add(kept, "k2")
    other.execute("rollback")
    other.close()
    assert add(kept, "k2") == RESPONSE


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
"""
READS = """
try:
    cache = ResponseCache(Path(sys.argv[1]))
    print([values[0] for portion in cache.purchases() for values in portion])
except RunFailed as error:
    print(error)
"""


PREPARES = """
try:
    ResponseCache(Path(sys.argv[1])).prepare()
except RunFailed as error:
    print(error)
"""


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user may look into; pytest's own may not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody but root may write the folder and its files."""
    files = [folder, *folder.iterdir()]
    for file in files:
        file.chmod(0o555)
    try:
        yield
    finally:
        for file in files:
            file.chmod(0o755)


def test_a_read_only_ledger_is_refused_before_anything_is_sent(open_to_all: Path) -> None:
    """`prepare` comes before the first call of a stream."""
    path = open_to_all / "lake" / "_ledger" / "journal.sqlite"
    kept = ResponseCache(path)
    add(kept, "k1")
    kept.close()
    with read_only(path.parent):
        said, problem = python(AS_A_GUEST + PREPARES, path).communicate(timeout=240)
    assert f"cannot use the response cache {path}: " in said, problem
    assert "who may read and write the file and its folder" in said


@pytest.mark.parametrize("is_open", [False, True], ids=["nobody writes", "a run writes"])
def test_the_accounts_of_a_read_only_ledger_are_read(open_to_all: Path, is_open: bool) -> None:
    """Someone with read access can ask what a lake has cost, even while its owner's run goes on."""
    path = open_to_all / "lake" / "_ledger" / "journal.sqlite"
    kept = ResponseCache(path)
    add(kept, "k1")
    if not is_open:
        kept.close()
    with read_only(path.parent):
        said, problem = python(AS_A_GUEST + READS, path).communicate(timeout=240)
    kept.close()
    assert said == "['k1']\n", problem
