"""A response cache that machines share: a log in S3.

A run appends objects of its own, `_ledger/log/<run>/<microseconds>.jsonl.gz`. They never change,
and a record counts once its object exists. Before it sends anything, a run reads the objects that
its machine's copy lacks. Only one run at a time asks a model (`tasks.lake.lease`). The copy is an
SQLite file; if it is deleted, the next run rebuilds it.
"""

from __future__ import annotations

import gzip
import secrets
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count
from time import monotonic, sleep, time_ns

from tasks.core.progress import tell
from tasks.inference.cache.tables import Answer, CacheError, apply, decoded, transaction
from tasks.lake.objects import LakeError, Objects

_FOLDER = "_ledger/log"
_COPIED = "create table if not exists copied (object text primary key) without rowid"

# How long to keep retrying while the storage refuses a paid answer; then the run fails.
PATIENCE_S = 300.0
_LONGEST_WAIT_S = 5.0


class ObjectLog:
    """One process's view of the log.

    Methods take a connection to the machine's copy. Any thread may call them.
    """

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._run = f"{_FOLDER}/{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(6)}"
        self._last = 0  # microseconds since 1970; objects are read in this order

    def exists(self) -> bool:
        """Return whether any run has stored anything."""
        return next(iter(self.objects.list(_FOLDER)), None) is not None

    def catch_up(self, database: sqlite3.Connection) -> None:
        """Apply the objects that the copy lacks."""
        database.execute(_COPIED)
        copied = {key for (key,) in database.execute("select object from copied")}
        # listed second: a thread may append meanwhile
        there = [stored.key for stored in self.objects.list(_FOLDER)]
        if lost := copied.difference(there):
            (_, _, file), *_ = database.execute("pragma database_list")
            raise CacheError(
                f"{len(lost):,} objects of the response cache in {self.objects.url}/{_FOLDER} are "
                f"gone, but {file} has a copy of them. Restore them, or delete that file to go on "
                "without them, which asks their calls again"
            )
        missing = sorted(set(there) - copied, key=lambda key: (key.rpartition("/")[2], key))
        at_once = max(1, self.objects.at_once)
        with ThreadPoolExecutor(at_once, "response cache") as pool:
            # few need no threads: a program that is exiting cannot start any
            read = map if len(missing) <= 8 else pool.map
            for start in range(0, len(missing), 2 * at_once):
                keys = missing[start : start + 2 * at_once]
                for key, content in zip(keys, read(self.objects.read, keys), strict=True):
                    self._apply(database, key, self._answers(key, content))

    def append(
        self, database: sqlite3.Connection, answers: Sequence[Answer], lines: Sequence[bytes]
    ) -> None:
        """Append answers to the log, all or none, and apply them.

        They are durable when this returns. It retries for `PATIENCE_S` while the storage fails.
        `lines` are the answers, from `encoded`.
        """
        self._last = max(self._last + 1, time_ns() // 1_000)
        key = f"{self._run}/{self._last:020d}.jsonl.gz"
        content = gzip.compress(b"".join(lines), compresslevel=4, mtime=0)
        since = monotonic()
        for n_failures in count():
            try:
                # False if an attempt that seemed to fail has created it
                self.objects.create(key, content)
                break
            except LakeError as failing:
                if monotonic() - since > PATIENCE_S:
                    raise
                if not n_failures:
                    tell(f"the storage fails, so answers wait: {failing}")
                sleep(min(_LONGEST_WAIT_S, 0.1 * 2 ** min(n_failures, 16)))
        self._apply(database, key, answers)

    def _apply(self, database: sqlite3.Connection, key: str, answers: Sequence[Answer]) -> None:
        """Apply one object, unless another process of this machine already has."""
        with transaction(database):
            done = database.execute("insert or ignore into copied values (?)", [key])
            if done.rowcount:
                for answer in answers:
                    apply(database, answer)

    def _answers(self, key: str, content: bytes) -> list[Answer]:
        try:
            if not content:
                raise EOFError("the object is empty")
            return [decoded(line) for line in gzip.decompress(content).splitlines()]
        except (OSError, EOFError, ValueError, TypeError, KeyError) as damaged:
            raise CacheError(
                f"cannot read {key} in {self.objects.url} ({damaged}): it is damaged, or a newer "
                "tenkbench wrote it. Use that version, or restore the object from a copy"
            ) from damaged
