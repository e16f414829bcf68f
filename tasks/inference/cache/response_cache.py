"""The response cache of a lake: every answer that was ever paid for, by key, in one SQLite file.

An answer is durable when `add` returns: a writer thread commits what is waiting in one transaction, so many answers
share one disk flush and none waits longer than the flush before it. The first answer of a key is its answer for good;
one that was paid for a second time stands beside it, for the accounts, and so does a failure that was charged for and
will be asked again. One run at a time asks a model for a lake (`lease`).

SQLite cannot be shared over a network drive, so the file belongs to the processes of one machine. If machines share
the lake, it is a copy of a log that they share (`tasks.inference.cache.object_log`).
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Response
from tasks.inference.cache.object_log import ObjectLog
from tasks.inference.cache.tables import (
    EXPORTED_COLUMNS,
    RESPONSE_COLUMNS,
    Answer,
    CacheError,
    Charged,
    Exported,
    Imported,
    Kept,
    Record,
    Written,
    answers_to,
    apply,
    chunks,
    encoded,
    explained,
    is_there,
    open_database,
    placeholders,
    reading,
    response_of,
    transaction,
)
from tasks.inference.operation import FINAL_ERRORS
from tasks.lake.lake import Lake
from tasks.lake.lease import FileLease, Lease, lease_on
from tasks.lake.objects import Objects

__all__ = [
    "Answer",
    "CacheError",
    "Exported",
    "Purchase",
    "ResponseCache",
    "cache_of",
    "is_kept",
    "kept_cache",
]

_CHUNK = 500  # keys per statement
_PORTION = 10_000  # purchases at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """What one answer has taken, or one failure that was charged for: an answer without its text."""

    key: str
    model: str
    operation: str
    superseded_at: float | None  # seconds since 1970; None: it is its key's answer
    status: str
    attempts: int
    n_prompt: int | None
    n_cached: int | None
    n_output: int | None
    latency_ms: float | None
    cost_usd: float | None


_PURCHASE_COLUMNS = tuple(field.name for field in dataclasses.fields(Purchase))


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Records for the writer's next transaction. `lines` are the same for a shared log."""

    records: Sequence[Record]
    lines: Sequence[bytes]
    done: Future[list[Response]]


def is_kept(response: Response) -> bool:
    """Whether the cache keeps an answer: it is one, or a failure that would come again.

    A call that was refused here, before anything was sent, is judged anew each time: it costs
    nothing, and the model's window may be another then.
    """
    return response.status != "error" or (
        response.error_type in FINAL_ERRORS and response.attempts > 0
    )


_caches: dict[str, ResponseCache] = {}


def cache_of(lake: str) -> ResponseCache:
    """The lake's response cache; one per lake and program."""
    opened = Lake(lake)
    if opened.url not in _caches:
        is_shared = opened.url != str(opened.here)
        path = opened.journal.with_name("copy.sqlite") if is_shared else opened.journal
        _caches[opened.url] = ResponseCache(path, opened.objects if is_shared else None)
    return _caches[opened.url]


def kept_cache(lake: str) -> ResponseCache | None:
    """The lake's response cache if it has one; looking makes none.

    Raises:
        CacheError, LakeError: it cannot be looked for.
    """
    cache = cache_of(lake)
    return cache if cache.exists() else None


class ResponseCache:
    """The response cache of one lake. Several threads and event loops may use it.

    Args:
        path: the SQLite file; made with its folder when the first call is about to be sent.
        shared: the objects of a lake that machines share: what is kept is kept there, and the file is a copy of it.
    """

    def __init__(self, path: Path, shared: Objects | None = None) -> None:
        self.path = path
        self._log = None if shared is None else ObjectLog(shared)
        self._lock = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: threading.Thread | None = None
        self._waiting: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._is_ready = False

    # --- answers

    def find(
        self, keys: Sequence[str], since: float | None = None, failures_since: float | None = None
    ) -> dict[str, Response]:
        """The kept answers of these keys.

        Args:
            since: only those added from then on (seconds since 1970).
            failures_since: failures only where they were added from then on.

        Raises:
            CacheError: the file cannot be read.
        """
        found: dict[str, Response] = {}
        if not keys or not self.exists():
            return found
        columns = f"key, {', '.join(RESPONSE_COLUMNS)}"
        with self._lock, explained(self.path):
            reader = self._reading()
            for chunk in chunks(keys, _CHUNK):
                rows = reader.execute(
                    f"select {columns} from answers where superseded_at is null and key in ({placeholders(chunk)}) "
                    "and added_at >= ? and (status = 'ok' or added_at >= ?)",
                    [*chunk, since or 0.0, failures_since or 0.0],
                )
                for key, *values in rows:
                    found[key] = response_of(values)
        return found

    async def add(
        self,
        key: str,
        response: Response,
        *,
        model: str,
        operation: str,
        since: float | None = None,
    ) -> Response:
        """Keep an answer; returns, when it is on disk, the answer that counts for the key from now on.

        That is the one that was there before, if there was one; `since` lets this one take its
        place where it is from before then.

        Raises:
            CacheError: it cannot be kept.
        """
        answer = Answer(key=key, model=model, operation=operation, response=response, since=since)
        (kept,) = await asyncio.wrap_future(self._submit([Kept(answer, time.time())]))
        return kept

    async def add_charge(self, key: str, failure: Response, *, model: str, operation: str) -> None:
        """Put what a failure has cost that will be asked again into the accounts; it answers nobody.

        Raises:
            CacheError: it cannot be kept.
        """
        charged = Answer(key=key, model=model, operation=operation, response=failure)
        await asyncio.wrap_future(self._submit([Charged(charged, time.time())]))

    def add_all(
        self,
        answers: Iterable[Answer],
        charged: Iterable[Answer] = (),
        imported: Iterable[str] = (),
    ) -> list[Response]:
        """Keep all of these answers or, if one cannot be kept, none; else as `add`.

        Args:
            charged: failures that will be asked again and have been charged for; else as `add_charge`.
            imported: exported requests whose replies all these are.

        Raises:
            CacheError: they cannot be kept.
        """
        now = time.time()
        records: list[Record] = [
            Imported(tuple(imported), now),
            *(Charged(failure, now) for failure in charged),
            *(Kept(answer, now) for answer in answers),
        ]
        return self._submit(records).result()

    def add_kept(self, answers: Sequence[Kept]) -> None:
        """Keep answers of another cache, as old as they are there.

        Raises:
            CacheError: they cannot be kept.
        """
        self._submit(answers).result()

    def purchases(self) -> Iterator[list[tuple[Any, ...]]]:
        """Every purchase, portion by portion, each as its values in `Purchase`'s order.

        Nothing if there is no cache. The lake may be one that cannot be written.

        Raises:
            CacheError, LakeError: the cache cannot be read.
        """
        self.catch_up()
        if not is_there(self.path):
            return
        with reading(self.path) as database:
            cursor = database.execute(f"select {', '.join(_PURCHASE_COLUMNS)} from answers")
            while portion := cursor.fetchmany(_PORTION):
                yield portion

    # --- files of calls

    def add_exported(self, calls: Iterable[Exported]) -> None:
        """Remember calls that are written to a file; one that was written before is in the later file.

        Raises:
            CacheError: they cannot be kept.
        """
        self._submit([Written(tuple(calls))]).result()

    def find_exported(self, request_ids: Sequence[str]) -> dict[str, Exported]:
        """Those of these requests that were written to a file.

        Raises:
            CacheError: the file cannot be read.
        """
        found: dict[str, Exported] = {}
        if not request_ids or not self.exists():
            return found
        with self._lock, explained(self.path):
            for chunk in chunks(request_ids, _CHUNK):
                rows = self._reading().execute(
                    f"select {', '.join(EXPORTED_COLUMNS)} from exported where request_id in ({placeholders(chunk)})",
                    chunk,
                )
                for row in rows:
                    exported = Exported(**dict(zip(EXPORTED_COLUMNS, row, strict=True)))
                    found[exported.request_id] = exported
        return found

    # --- the file

    def lease(self, model: str, identity: str) -> Lease:
        """The lease on a model, to be held by whoever sends it calls.

        Args:
            identity: what the model's answers depend on: two names may mean one.
        """
        if self._log is not None:
            return lease_on(self._log.objects, model, identity)
        return FileLease(self.path.with_name(f"{stable_id('lease', identity)}.lock"), model)

    def exists(self) -> bool:
        """Whether the lake has a cache.

        Raises:
            CacheError: its folder may not be looked into.
            LakeError: the objects of a lake that machines share cannot be.
        """
        if self._reader is not None:
            return True
        if self._log is not None:
            return self.path.exists() or self._log.exists()
        with explained(self.path):
            return self.path.exists()

    def catch_up(self) -> None:
        """Bring a copy up to date with what other machines have kept.

        Raises:
            CacheError, LakeError: it cannot be read.
        """
        if self._log is not None and self.exists():
            with self._lock, explained(self.path):
                self._log.catch_up(self._reading())

    def prepare(self) -> None:
        """Make sure that answers can be kept, before one is paid for.

        Raises:
            CacheError, LakeError: the file, or the storage, cannot be written.
        """
        if not self._is_ready:
            if self._log is not None:
                self._log.objects.make_ready()
            self._submit(()).result()
            self._is_ready = True

    def close(self) -> None:
        """Write what is waiting and close the files; the next use opens them again."""
        atexit.unregister(self.close)
        with self._lock:
            self._is_ready = False
            writer, self._writer = self._writer, None
            if writer is not None:
                self._waiting.put(None)
                writer.join()
            if self._reader is not None:
                self._reader.close()
                self._reader = None

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
                f"{error}. All of it is in {self._log.objects.url}: this file is a copy on this machine, and is made "
                "again if you delete it"
            ) from error
        try:
            with explained(self.path):
                self._log.catch_up(database)
        except BaseException:
            database.close()
            raise
        return database

    def _submit(self, records: Sequence[Record]) -> Future[list[Response]]:
        """Have records kept in the writer's next transaction; the result are the answers that count for the keys of those
        that are answers.

        Raises:
            TypeError: one cannot be written into a shared log.
        """
        lines = () if self._log is None else [encoded(record) for record in records]
        waiting = _Waiting(records, lines, Future())
        with self._lock:
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._write, name="response cache", daemon=True
                )
                self._writer.start()
                atexit.register(self.close)
            self._waiting.put(waiting)
        return waiting.done

    def _write(self) -> None:
        """What the writer thread does: one transaction for all that is waiting, then the next."""
        database: sqlite3.Connection | None = None
        more = True
        while more:
            batch, more = _next_batch(self._waiting)
            try:
                database = database or self._open()
            except BaseException as error:  # belongs to whoever waits, not to this thread
                for waiting in batch:
                    _finish(waiting, error=error)
            else:
                self._commit(database, batch)
        if database is not None:
            database.close()

    def _commit(self, database: sqlite3.Connection, batch: Sequence[_Waiting]) -> None:
        """One transaction for the batch; where that fails, one for each, so that only those at fault fail.

        A shared log takes whatever could be written as lines, so there none is at fault by itself.
        """
        try:
            with explained(self.path):
                if self._log is not None:
                    lines = [line for waiting in batch for line in waiting.lines]
                    if lines:
                        records = [record for waiting in batch for record in waiting.records]
                        self._log.append(database, records, lines)
                    results = [answers_to(database, waiting.records) for waiting in batch]
                else:
                    with transaction(database):
                        for waiting in batch:
                            for record in waiting.records:
                                apply(database, record)
                        results = [answers_to(database, waiting.records) for waiting in batch]
        except BaseException as error:  # theirs, too
            if self._log is None and len(batch) > 1:
                for waiting in batch:
                    self._commit(database, [waiting])
                return
            for waiting in batch:
                _finish(waiting, error=error)
        else:
            for waiting, result in zip(batch, results, strict=True):
                _finish(waiting, result)


def _next_batch(queue: SimpleQueue[_Waiting | None]) -> tuple[list[_Waiting], bool]:
    """All that is waiting, once anything is, and whether more may come."""
    batch: list[_Waiting] = []
    waiting = queue.get()
    while waiting is not None:
        batch.append(waiting)
        try:
            waiting = queue.get_nowait()
        except Empty:
            return batch, True
    return batch, False


def _finish(
    waiting: _Waiting, result: Sequence[Response] = (), error: BaseException | None = None
) -> None:
    if not waiting.done.set_running_or_notify_cancel():
        return  # whoever asked has gone; what it asked for is done all the same
    if error is None:
        waiting.done.set_result([*result])
    else:
        waiting.done.set_exception(error)
