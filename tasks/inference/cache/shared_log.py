"""The log of a lake that machines share: every record of its journal, as objects that are never changed.

Objects are numbered from one on: `_ledger/log/00000001.jsonl.zst`. A number is taken by creating the object where
there is none, so all machines see one order, and whoever comes second reads what it has missed before it tries the
next number. An answer counts when its object is there. What a machine reads its journal from is a copy, an SQLite
file made from the log; it may be deleted, and is made again.

Small objects are slow to read in thousands, so every 256 are also packed into one. A pack only repeats what the
log holds: the log's own objects stay, because a machine that has missed them would find their numbers free.
"""

from __future__ import annotations

import os
import secrets
import socket
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from time import monotonic, sleep, time

import orjson

from tasks.core.progress import tell
from tasks.inference.cache.database import JournalError, transaction
from tasks.inference.cache.records import Record, apply, decoded
from tasks.lake.objects import LakeError, NoSuchObject, Objects

_FORMAT_KEY = "_ledger/log/format.json"
_VERSION = 1
_COPY_SCHEMA = """
create table if not exists copied (
    log_id text not null,           -- of the log that this file is a copy of
    machine text not null,          -- this copy's own name
    n integer not null              -- so many objects of the log are in the tables
);
create table if not exists unpacked (
    number integer primary key,
    content blob not null           -- of the log's object, until the pack that it belongs to is made
);
"""
_SEAL = b'{"sealed":'  # begins the first line of each object
_PACKED = 256
# Fewer than this are missing when a program ends, which may start no threads any more.
_ONE_BY_ONE = 8

# How long an answer that was paid for is held while the storage takes nothing; then its run fails.
PATIENCE_S = 300.0
_LONGEST_WAIT_S = 5.0


class SharedLog:
    """The log as one process sees it. Methods take a connection to the machine's copy; any thread may call them."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._writer = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(8)}"
        self._n_written = count(1)

    def exists(self) -> bool:
        """Whether the lake has a log."""
        return self.objects.exists(_FORMAT_KEY)

    def attach(self, database: sqlite3.Connection, *, makes: bool) -> None:
        """Make sure that a file is a copy of this log, and bring it up to date.

        Args:
            makes: whether to begin the log where there is none.

        Raises:
            JournalError: the file is a copy of another log, or the log is of a newer tenkbench.
        """
        database.executescript(_COPY_SCHEMA)
        log_id = self._log_id()
        if log_id is None and makes and not database.execute("select 1 from copied").fetchone():
            log_id = self._make()
        with transaction(database):  # which no request to the storage is made in
            copied = database.execute("select log_id from copied").fetchone()
            if log_id is not None and copied is None:
                database.execute("insert into copied values (?, ?, 0)", [log_id, secrets.token_hex(8)])
            elif copied is not None and copied != (log_id,):
                raise JournalError(self._strange(database, log_id))
        if log_id is not None:
            self.catch_up(database)

    def machine(self, database: sqlite3.Connection) -> str:
        """What a copy is called among those of other machines."""
        (name,) = database.execute("select machine from copied").fetchone()
        return str(name)

    def catch_up(self, database: sqlite3.Connection) -> None:
        """Apply what the log holds and the copy does not.

        Raises:
            JournalError: what the log holds cannot be read.
            LakeError: the storage cannot be reached.
        """
        n = _n_applied(database)
        if n % _PACKED == 0:
            for number, pack in self._following(n // _PACKED, _pack_key):
                first = number * _PACKED + 1
                self._apply(database, first, first + _PACKED - 1, pack)
        for number, content in self._following(_n_applied(database) + 1, _key):
            self._apply(database, number, number, content)
            self._pack(database, number)

    def append(self, database: sqlite3.Connection, lines: Sequence[bytes]) -> None:
        """Put records into the log, all of them or none, and apply them; they are durable when this returns.

        While the storage fails, it is tried again.

        Args:
            lines: the records as `encoded` makes them.

        Raises:
            LakeError: it has failed for longer than `PATIENCE_S`.
        """
        # Nothing else in the log is like it: so it is found again where its creation was carried out, but not confirmed.
        sealed = {"by": self._writer, "n": next(self._n_written), "at": time()}
        content = _compressed(orjson.dumps({"sealed": sealed}) + b"\n" + b"".join(lines))
        since = monotonic()
        number = n_failures = 0
        while True:
            try:
                # after a failure the same number again: it may have been taken all the same
                number = number or _n_applied(database) + 1
                if self._create(_key(number), content):
                    break
                number = 0
                self.catch_up(database)
            except LakeError as failing:
                if monotonic() - since > PATIENCE_S:
                    raise
                if not n_failures:
                    tell(f"answers wait until the ledger takes them: {failing}")
                sleep(min(_LONGEST_WAIT_S, 0.1 * 2 ** min(n_failures, 16)))
                n_failures += 1
        self._apply(database, number, number, content)
        self._pack(database, number)

    # --- objects

    def _create(self, key: str, content: bytes) -> bool:
        """Create an object; True also where that was done by an earlier attempt that seemed to have failed."""
        return self.objects.create(key, content) or self.objects.read(key) == content

    def _following(self, first: int, key_of: Callable[[int], str]) -> Iterator[tuple[int, bytes]]:
        """The objects from a number on, in order, up to the first that is not there."""
        many = first + _ONE_BY_ONE
        for number in range(first, many):
            content = self._read(key_of(number))
            if content is None:
                return
            yield number, content
        with ThreadPoolExecutor(self.objects.at_once, "ledger") as pool:
            for first in count(many, 2 * self.objects.at_once):
                numbers = range(first, first + 2 * self.objects.at_once)
                contents = pool.map(lambda number: self._read(key_of(number)), numbers)
                for number, content in zip(numbers, contents, strict=True):
                    if content is None:
                        return
                    yield number, content

    def _read(self, key: str) -> bytes | None:
        try:
            return self.objects.read(key)
        except NoSuchObject:
            return None

    def _pack(self, database: sqlite3.Connection, number: int) -> None:
        """Make the pack that ends with an object of the log, if one does and all that belongs into it is at hand."""
        if number % _PACKED:
            return
        first = number - _PACKED + 1
        contents = database.execute(
            "select content from unpacked where number between ? and ? order by number", [first, number]
        ).fetchall()
        key = _pack_key(number // _PACKED - 1)
        try:
            if len(contents) == _PACKED and not self.objects.exists(key):
                together = b"".join(_decompressed(content) for (content,) in contents)
                self.objects.create(key, _compressed(together))
        except LakeError as failing:  # as for somebody who may only read
            tell(f"the ledger's log could not be packed, which only makes it slower to read: {failing}")
        with transaction(database):
            database.execute("delete from unpacked where number <= ?", [number])

    # --- the copy

    def _apply(self, database: sqlite3.Connection, first: int, last: int, content: bytes) -> None:
        """Apply the objects of these numbers, unless another process of this machine has."""
        records = self._records(content, first, last)
        with transaction(database):
            if _n_applied(database) != first - 1:
                return
            for record in records:
                apply(database, record)
            if first == last:
                database.execute("insert into unpacked values (?, ?)", [first, content])
            database.execute("update copied set n = ?", [last])

    def _records(self, content: bytes, first: int, last: int) -> list[Record]:
        try:
            lines = _decompressed(content).splitlines()
            records = [decoded(line) for line in lines if not line.startswith(_SEAL)]
            if len(lines) - len(records) != last - first + 1:
                raise ValueError("it is not whole")
            return records
        except (OSError, ValueError, TypeError, KeyError) as damaged:
            raise JournalError(
                f"the ledger's log in {self.objects.url} cannot be read at object {last} ({damaged}): it is damaged, or "
                "was written by a newer tenkbench; use that one, or put the object back from a copy"
            ) from damaged

    # --- which log

    def _log_id(self) -> str | None:
        data = self._read(_FORMAT_KEY)
        if data is None:
            return None
        try:
            found = orjson.loads(data)
            version, log_id = int(found["version"]), str(found["id"])
        except (ValueError, TypeError, KeyError) as damaged:
            raise JournalError(
                f"{_FORMAT_KEY} in {self.objects.url} is damaged ({damaged}); put it back from a copy"
            ) from damaged
        if version > _VERSION:
            raise JournalError(
                f"the ledger's log in {self.objects.url} was written by a newer tenkbench (layout {version}, this one "
                f"reads {_VERSION}); use that one, or another --lake"
            )
        return log_id

    def _make(self) -> str | None:
        self.objects.make_ready()
        self.objects.create(
            _FORMAT_KEY, orjson.dumps({"version": _VERSION, "id": secrets.token_hex(8)}) + b"\n"
        )
        return self._log_id()  # of whoever was first

    def _strange(self, database: sqlite3.Connection, log_id: str | None) -> str:
        (_, _, file), *_ = database.execute("pragma database_list")
        found = "is gone" if log_id is None else "is another one now"
        return (
            f"the ledger's log in {self.objects.url} {found}, but {file} is a copy of what was there, with "
            f"{_n_applied(database)} objects; put the log back, or delete that file to begin anew, which will ask "
            "everything again"
        )


def _n_applied(database: sqlite3.Connection) -> int:
    (n,) = database.execute("select n from copied").fetchone()
    return int(n)


def _key(number: int) -> str:
    return f"_ledger/log/{number:08d}.jsonl.zst"


def _pack_key(number: int) -> str:
    return f"_ledger/packs/{number:06d}.jsonl.zst"


def _compressed(data: bytes) -> bytes:
    import pyarrow as pa

    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def _decompressed(data: bytes) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        return bytes(stream.read())
