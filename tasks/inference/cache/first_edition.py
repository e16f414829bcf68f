"""Import answers from a first-edition lake into another response cache."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tasks.core.errors import RunFailed
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.cache.tables import (
    SCHEMA,
    Answer,
    Kept,
    apply,
    chunks,
    decoded,
    explained,
    response_columns,
    response_of,
)
from tasks.lake.objects import Objects

_TOGETHER = 1_000  # answers per write
# Beginnings of log lines that the second edition does not have.
_NOT_ANSWERS = (b'{"sealed":', b'{"died":')


def import_answers(old: Objects, cache: ResponseCache) -> tuple[int, int]:
    """Copy the answers of a first-edition lake, primers included; keys are the same.

    Return the number of answers copied, and the number that the cache already had.
    """
    n_copied = n_before = 0
    is_local = old.url == str(old.here)
    for answers in chunks(_of_file(old) if is_local else _of_log(old), _TOGETHER):
        there = cache.find([kept.answer.key for kept in answers])
        new = [kept for kept in answers if kept.answer.key not in there]
        cache.store(*new).result()
        n_copied += len(new)
        n_before += len(there)
    return n_copied, n_before


def _of_file(old: Objects) -> Iterator[Kept]:
    """Yield the answers of a lake in a folder, from `_ledger/journal.sqlite`."""
    path = old.here / "_ledger" / "journal.sqlite"
    if not path.exists():
        raise RunFailed(
            f"{path} does not exist: this lake has no model answers. Name the folder of a lake of "
            "the first edition, which holds _ledger."
        )
    # SQLite needs write access to read a database with a log, which holds the latest answers.
    how = "rw" if path.with_name(path.name + "-wal").exists() else "ro"
    address = f"{path.absolute().as_uri()}?mode={how}"
    with explained(path, reads_only=True), closing(sqlite3.connect(address, uri=True)) as database:
        yield from _kept(database)


def _of_log(old: Objects) -> Iterator[Kept]:
    """Yield the answers of a lake in S3, from its log."""
    import pyarrow as pa

    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        n_read = 0
        for stored in old.list("_ledger/log"):
            if stored.key.endswith(".jsonl.zst"):
                with pa.CompressedInputStream(
                    pa.BufferReader(old.read(stored.key)), "zstd"
                ) as stream:
                    for line in stream.read().splitlines():
                        if not line.startswith(_NOT_ANSWERS):
                            apply(database, decoded(line))
                n_read += 1
        if not n_read:
            raise RunFailed(f"{old.url}/_ledger/log has no objects: this lake has no model answers")
        yield from _kept(database)


def _kept(database: sqlite3.Connection) -> Iterator[Kept]:
    rows = database.execute(
        f"select key, model, operation, added_at, {response_columns(database)} from answers "
        "where superseded_at is null order by rowid"
    )
    for key, model, operation, added_at, *values in rows:
        yield Kept(
            Answer(key=key, model=model, operation=operation, response=response_of(values)),
            added_at,
        )
