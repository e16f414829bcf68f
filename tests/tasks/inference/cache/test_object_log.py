"""The log that machines share: one response cache for all, whatever the storage does."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.inference.cache import object_log
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import CacheError
from tasks.lake.objects import LakeError
from tests.journals import FAILURE, RESPONSE, add, bought, charged
from tests.objects_in_memory import ObjectsInMemory


@pytest.fixture
def storage() -> ObjectsInMemory:
    return ObjectsInMemory()


@pytest.fixture
def machine(storage: ObjectsInMemory, tmp_path: Path) -> Iterator[Callable[[str], ResponseCache]]:
    """The shared journal as a machine of some name sees it; each time as another process."""
    made: list[ResponseCache] = []

    def open_on(name: str) -> ResponseCache:
        made.append(ResponseCache(tmp_path / name / "_ledger" / "journal.sqlite", storage))
        return made[-1]

    yield open_on
    for one in made:
        one.close()


def tables(journal: ResponseCache) -> list[Any]:
    """All that a journal's file says, once it is up to date."""
    journal.catch_up()
    with sqlite3.connect(journal.path) as database:
        return sorted(database.execute("select * from answers").fetchall(), key=repr)


def log_keys(storage: ObjectsInMemory) -> list[str]:
    return sorted(key for key in storage.contents if key.startswith("_ledger/log/"))


# --- storage that fails --------------------------------------------------------------------


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_log, "sleep", lambda seconds: None)


@pytest.mark.usefixtures("no_waiting")
def test_storage_that_fails_for_too_long_fails_who_waits_and_counts_nothing(
    storage: ObjectsInMemory,
    machine: Callable[[str], ResponseCache],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(object_log, "PATIENCE_S", 0.0)
    kept = machine("a")
    kept.prepare()
    storage.fault = lambda method, key: "fails" if method == "create" else None
    with pytest.raises(LakeError, match="503 for create"):
        add(kept, "k1")
    assert kept.find(["k1"]) == {}
    storage.fault = lambda method, key: None
    assert add(kept, "k1") == RESPONSE


# --- logs that are not what they were ------------------------------------------------------


def test_objects_that_are_gone_are_told_and_the_copy_stays(
    storage: ObjectsInMemory, machine: Callable[[str], ResponseCache]
) -> None:
    before = machine("a")
    add(before, "k1")
    before.close()
    storage.contents.clear()
    with pytest.raises(
        CacheError, match=r"1 objects .* are gone, but .*journal\.sqlite has a copy of them"
    ):
        machine("a").find(["k1"])
    with pytest.raises(CacheError, match="are gone, but"):
        machine("a").catch_up()
    assert len(bought(ResponseCache(before.path))) == 1  # what the copy has
    assert storage.contents == {}


NEWER = gzip.compress(b'{"from the future": {}}\n', mtime=0)


@pytest.mark.parametrize("content", [b"", b"nonsense", NEWER, None])
def test_a_damaged_object_of_the_log_is_named(
    storage: ObjectsInMemory, machine: Callable[[str], ResponseCache], content: bytes | None
) -> None:
    here = machine("a")
    add(here, "k1")
    add(here, "k2")
    (first, second) = log_keys(storage)
    storage.contents[second] = storage.contents[first][:-7] if content is None else content
    with pytest.raises(CacheError, match=rf"cannot read {second} in s3://memory/lake"):
        machine("b").find(["k1"])


# --- whatever happens ----------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(["keep", "supersede", "charge", "catch up", "lose the copy"]),
        st.integers(0, 3),
        st.sampled_from([None, None, "fails", "seems to fail"]),
    ),
    max_size=30,
)


@pytest.mark.usefixtures("no_waiting")
@settings(max_examples=15, deadline=None)
@given(steps=STEPS)
def test_whatever_machines_and_storage_do_all_have_one_cache(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int, str | None]]
) -> None:
    folder, storage = tmp_path_factory.mktemp("any"), ObjectsInMemory()
    n_kept = 0

    def opened(name: str) -> ResponseCache:
        return ResponseCache(folder / name / "journal.sqlite", storage)

    journals = {name: opened(name) for name in "ab"}
    for each in journals.values():
        each.prepare()
    for name, what, number, outcome in steps:
        faults = [outcome]
        storage.fault = lambda method, key, faults=faults: (  # type: ignore[misc]
            faults.pop() if faults and method == "create" and "/log/" in key else None
        )
        journal, key = journals[name], f"k{number}"
        journal.catch_up()  # as whoever takes the lease does
        if what == "lose the copy":
            journal.close()
            shutil.rmtree(folder / name, ignore_errors=True)  # it may have been lost before
            journals[name] = opened(name)
        elif what == "catch up":
            journal.catch_up()
        elif what == "charge":
            journal.store(charged(key, FAILURE)).result()
        else:
            add(journal, key, after=1_000_000 if what == "supersede" else None)
        n_kept += what in ("keep", "supersede", "charge")
    storage.fault = lambda method, key: None
    journals["c"] = opened("c")
    for each in journals.values():
        each.prepare()
    found = [tables(journal) for journal in journals.values()]
    for journal in journals.values():
        journal.close()
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == n_kept
