"""The response cache of a lake: paid answers by key, in SQLite.

An answer is durable when the future of `store` has a result. A writer thread commits all that wait
in one transaction, so they share a disk flush.

The first answer of a key stays its answer. A second one is stored beside it, for the accounts; so
is a failure that was charged for. SQLite does not work over a network drive: if machines share the
lake, the file is this machine's copy of their log (`tasks.inference.cache.object_log`).
"""

from __future__ import annotations

import atexit
import dataclasses
import json
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Response
from tasks.inference.cache.object_log import ObjectLog
from tasks.inference.cache.tables import (
    RESPONSE_COLUMNS,
    Answer,
    CacheError,
    apply,
    checksum_of,
    current,
    encoded,
    explained,
    open_database,
    reading,
    response_of,
    transaction,
)
from tasks.inference.operation import FINAL_ERRORS, NOT_IMPORTED_TYPE
from tasks.lake.lake import Lake
from tasks.lake.lease import FileLease, Lease, lease_on
from tasks.lake.objects import Objects

_PORTION = 10_000  # purchases per read


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """One answer, or charged failure, that the response cache keeps, with its cost."""

    key: str
    model: str  # the model that answered
    operation: str
    # seconds since 1970 when another answer took its place; null: the current answer
    superseded_at: float | None
    status: str
    attempts: int
    n_prompt: int | None
    n_cached: int | None
    n_output: int | None
    latency_ms: float | None
    cost_usd: float | None


_PURCHASE_COLUMNS = tuple(field.name for field in dataclasses.fields(Purchase))


def is_kept(response: Response) -> bool:
    """Return whether a response is an answer, would recur, or says that none was imported."""
    if response.status != "error" or response.error_type == NOT_IMPORTED_TYPE:
        return True
    # a call that was refused unsent is judged anew: the model's window may have changed
    return response.error_type in FINAL_ERRORS and response.attempts > 0


# Answers, their lines for a shared log, and who waits for them.
_Waiting = tuple[Sequence[Answer], Sequence[bytes], Future[list[Response]]]

_caches: dict[str, ResponseCache] = {}
_STORED = f"key, checksum, {', '.join(RESPONSE_COLUMNS)}"


def _check_intact(rows: Iterable[Sequence[Any]]) -> None:
    """Refuse answers, as values of `_STORED`, that are not as they were stored."""
    for key, checksum, *values in rows:
        if checksum != checksum_of(key, values):
            raise sqlite3.DatabaseError(f"the answer {key} is damaged: its checksum differs")


def cache_of(lake: Lake) -> ResponseCache:
    """Return the lake's response cache; one per lake and program."""
    if lake.url not in _caches:
        is_shared = lake.url != str(lake.here)
        path = lake.journal.with_name("copy.sqlite") if is_shared else lake.journal
        _caches[lake.url] = ResponseCache(path, lake.objects if is_shared else None)
    return _caches[lake.url]


def flush(within_s: float) -> None:
    """Wait until the open caches have written all that was given to them, at most this long."""
    wait([cache.store() for cache in _caches.values() if cache._writer is not None], within_s)


def kept_cache(lake: Lake) -> ResponseCache | None:
    """Return the lake's response cache, or None if it has none yet."""
    cache = cache_of(lake)
    return cache if cache.exists() else None


class ResponseCache:
    """The response cache of one lake; several threads may use it.

    Methods raise `CacheError` or `LakeError` if the file or the shared storage fails.

    Args:
        path: the SQLite file; created with its folder before the first call is sent.
        shared: storage of a lake that machines share; the file is then only a copy.
    """

    def __init__(self, path: Path, shared: Objects | None = None) -> None:
        self.path = path
        self._log = None if shared is None else ObjectLog(shared)
        self._lock = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: ThreadPoolExecutor | None = None  # one thread
        self._written: sqlite3.Connection | None = None  # the writer's
        self._waiting: deque[_Waiting] = deque()  # for the writer
        self._is_ready = False

    # --- answers

    def find(
        self, keys: Sequence[str], after: int | None = None, failures_after: int | None = None
    ) -> dict[str, Response]:
        """Return the cached answers of these keys.

        Args:
            after: ignore answers up to this number (`latest`).
            failures_after: ignore failures up to this number.

        Raises:
            CacheError: an answer is not the one that was stored.
        """
        rows: list[tuple[Any, ...]] = []
        if keys and self.exists():
            with self._lock, explained(self.path):
                rows += self._reading().execute(
                    f"select {_STORED} from answers "
                    "where key in (select value from json_each(?)) and superseded_at is null "
                    "and rowid > ? and (status = 'ok' or rowid > ?)",
                    [json.dumps(keys), after or 0, failures_after or 0],
                )
                _check_intact(rows)
        return {key: response_of(values) for key, _, *values in rows}

    def latest(self) -> int:
        """Return the number of the latest answer; they count from 1, whatever the clock says."""
        self.catch_up()
        if not self.exists():
            return 0
        with self._lock, explained(self.path):
            (number,) = self._reading().execute("select max(rowid) from answers").fetchone()
        return number or 0

    @cached_property
    def latest_at_start(self) -> int:
        """The latest answer when this program first looked."""
        return self.latest()

    def store(self, *answers: Answer) -> Future[list[Response]]:
        """Store all of these answers, or none if one fails.

        They are durable when the future has its result: the current answers of their keys. An
        earlier answer stays current, unless `Answer.after` says otherwise.

        Raises:
            TypeError: an answer cannot be stored: half of a surrogate pair, a huge integer.
        """
        lines = [encoded(answer) for answer in answers]
        done: Future[list[Response]] = Future()
        with self._lock:
            if self._writer is None:
                self._writer = ThreadPoolExecutor(1, "response cache")
                atexit.register(self.close)
            self._waiting.append((answers, lines, done))
            self._writer.submit(self._write)
        return done

    def purchases(self) -> Iterator[list[tuple[Any, ...]]]:
        """Yield purchases in portions, as values of `Purchase`; a read-only lake will do."""
        self.catch_up()
        if not self.exists():
            return
        with reading(self.path) as database:
            cursor = database.execute(f"select {', '.join(_PURCHASE_COLUMNS)} from answers")
            while portion := cursor.fetchmany(_PORTION):
                yield portion

    def check(self) -> int:
        """Count the current answers; a read-only lake will do.

        Raises:
            CacheError: the file is damaged.
        """
        self.catch_up()
        if not self.exists():
            return 0
        with reading(self.path) as database:
            (verdict,) = database.execute("pragma quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            n_answers: int
            (n_answers,) = database.execute(
                "select count(*) from answers where superseded_at is null"
            ).fetchone()
            _check_intact(database.execute(f"select {_STORED} from answers"))
        return n_answers

    # --- the file

    def lease(self, model: str, identity: str) -> Lease:
        """Return the lease on a model, for one run at a time; two names may share an identity."""
        if self._log is not None:
            return lease_on(self._log.objects, model, identity)
        return FileLease(self.path.with_name(f"{stable_id('lease', identity)}.lock"), model)

    def exists(self) -> bool:
        """Return whether the lake has a cache."""
        with explained(self.path):
            if self._reader is not None or self.path.exists():
                return True
        return self._log is not None and self._log.exists()

    def catch_up(self) -> None:
        """Update a copy with what other machines have stored."""
        if self._log is not None and self.exists():
            with self._lock, explained(self.path):
                self._log.catch_up(self._reading())

    def prepare(self) -> None:
        """Check that answers can be stored, before one is paid for."""
        if not self._is_ready:
            if self._log is not None:
                self._log.objects.make_ready()
            self.store().result()
            self._is_ready = True

    def close(self) -> None:
        """Write what waits and close the files; the next use reopens them."""
        atexit.unregister(self.close)
        with self._lock:
            self._is_ready = False
            if self._writer is not None:
                self._writer.shutdown()
            for database in (self._written, self._reader):
                if database is not None:
                    database.close()
            self._writer = self._written = self._reader = None

    def _reading(self) -> sqlite3.Connection:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def _open(self) -> sqlite3.Connection:
        if self._log is None:
            return open_database(self.path, "full")
        try:
            database = open_database(self.path, "normal")
        except CacheError as error:
            raise CacheError(
                f"{error}. This file is only a copy of {self._log.objects.url}. Delete it to "
                "have it rebuilt"
            ) from error
        with ExitStack() as on_error, explained(self.path):
            on_error.callback(database.close)
            self._log.catch_up(database)
            on_error.pop_all()
        return database

    def _write(self) -> None:
        """Commit all that waits, in the writer's thread."""
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if not batch:
            return
        try:
            with explained(self.path):
                database = self._commit(batch)
                stored = [[current(database, answer) for answer in part] for part, *_ in batch]
        except BaseException as error:  # for the callers
            for *_, done in batch:
                if done.set_running_or_notify_cancel():
                    done.set_exception(error)
        else:
            for (*_, done), responses in zip(batch, stored, strict=True):
                if done.set_running_or_notify_cancel():  # a caller that has gone needs none
                    done.set_result(responses)

    def _commit(self, batch: Sequence[_Waiting]) -> sqlite3.Connection:
        """Store a batch, all or none."""
        if self._written is None:
            self._written = self._open()
        answers = [answer for part, *_ in batch for answer in part]
        if self._log is None:
            with transaction(self._written):
                for answer in answers:
                    apply(self._written, answer)
        elif answers:
            lines = [line for _, lines, _ in batch for line in lines]
            self._log.append(self._written, answers, lines)
        return self._written
