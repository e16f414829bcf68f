"""The journal: every answer that was ever bought for a lake, by key, read from one SQLite file.

An answer is durable when `add` returns: a writer thread commits what is waiting in one
transaction, so many answers share one disk flush and none waits longer than the flush before it.
The first answer of a key is its answer for good; one that was bought a second time stands beside
it, for the accounts, and so does a failure that was charged for and will be asked again. Running
processes claim the keys that they are about to send; a claim ends with its process, however that
ends (`tasks.inference.cache.claims`).

SQLite's log cannot be shared over a network drive, so the file belongs to processes of one machine. Where machines
share a lake, it is a copy of a log that they share (`tasks.inference.cache.shared_log`), and models are asked in turns (`tasks.inference.cache.leases`).
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tasks.core.rows import Response
from tasks.inference.cache.claims import Claims, chunks, placeholders
from tasks.inference.cache.database import (
    JournalError,
    explained,
    is_there,
    open_database,
    reading,
    transaction,
)
from tasks.inference.cache.leases import LeasedTurn, Leases
from tasks.inference.cache.records import (
    EXPORTED_COLUMNS,
    KIND,
    RESPONSE_COLUMNS,
    SCHEMA,
    VERSION,
    Answer,
    Charged,
    Died,
    Exported,
    Imported,
    Kept,
    Record,
    Written,
    answers_to,
    apply,
    encoded,
    response_of,
)
from tasks.inference.cache.shared_log import SharedLog
from tasks.inference.cache.turns import Always, Turn
from tasks.lake.objects import Objects

__all__ = ["Answer", "Exported", "Journal", "JournalError", "Purchase"]

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


class Journal:
    """The journal of one lake. It may be used from several threads and event loops.

    Args:
        path: the SQLite file; made with its folder when the first call is about to be sent.
        shared: the objects of a lake that machines share: what is kept is kept there, and the file is a copy of it.
    """

    def __init__(self, path: Path, shared: Objects | None = None) -> None:
        self.path = path
        self._log = None if shared is None else SharedLog(shared)
        self._leases: Leases | None = None
        self._claims = Claims(path.with_name("claims.sqlite"))
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
            JournalError: the file cannot be read.
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
        self, key: str, response: Response, *, model: str, operation: str, since: float | None = None
    ) -> Response:
        """Keep an answer; returns, when it is on disk, the answer that counts for the key from now on.

        That is the one that was there before, if there was one; `since` lets this one take its
        place where it is from before then.

        Raises:
            JournalError: it cannot be kept.
        """
        answer = Answer(key=key, model=model, operation=operation, response=response, since=since)
        (kept,) = await asyncio.wrap_future(self._submit([Kept(answer, time.time())]))
        return kept

    async def add_charge(self, key: str, failure: Response, *, model: str, operation: str) -> None:
        """Put what a failure has cost that will be asked again into the accounts; it answers nobody.

        Raises:
            JournalError: it cannot be kept.
        """
        charged = Answer(key=key, model=model, operation=operation, response=failure)
        await asyncio.wrap_future(self._submit([Charged(charged, time.time())]))

    def add_all(
        self, answers: Iterable[Answer], charged: Iterable[Answer] = (), imported: Iterable[str] = ()
    ) -> list[Response]:
        """Keep all of these answers or, if one cannot be kept, none; else as `add`.

        Args:
            charged: failures that will be asked again and have been charged for; else as `add_charge`.
            imported: exported requests whose replies all these are.

        Raises:
            JournalError: they cannot be kept.
        """
        now = time.time()
        records: list[Record] = [
            Imported(tuple(imported), now),
            *(Charged(failure, now) for failure in charged),
            *(Kept(answer, now) for answer in answers),
        ]
        return self._submit(records).result()

    def purchases(self) -> Iterator[list[tuple[Any, ...]]]:
        """Every purchase, portion by portion, each as its values in `Purchase`'s order.

        Nothing where there is no journal. The lake may be one that cannot be written.

        Raises:
            JournalError, LakeError: the journal cannot be read.
        """
        self.catch_up()
        if not is_there(self.path):
            return
        with reading(self.path, KIND, VERSION) as database:
            cursor = database.execute(f"select {', '.join(_PURCHASE_COLUMNS)} from answers")
            while portion := cursor.fetchmany(_PORTION):
                yield portion

    # --- calls that may kill their server

    def deaths(self, keys: Sequence[str]) -> dict[str, int]:
        """At how many deaths of its server each of these calls was in flight; without those that were at none.

        Raises:
            JournalError: the file cannot be read.
        """
        found: dict[str, int] = {}
        if not keys or not self.exists():
            return found
        with self._lock, explained(self.path):
            for chunk in chunks(keys, _CHUNK):
                found |= self._reading().execute(
                    f"select key, n from deaths where key in ({placeholders(chunk)})", chunk
                )
        return found

    async def add_deaths(self, keys: Collection[str]) -> None:
        """Count one more death for each of these calls, until it has an answer; on disk when this returns.

        Raises:
            JournalError: it cannot be kept.
        """
        await asyncio.wrap_future(self._submit([Died(tuple(keys))]))

    # --- files of calls

    def add_exported(self, calls: Iterable[Exported]) -> None:
        """Remember calls that are written to a file; one that was written before is in the later file.

        Raises:
            JournalError: they cannot be kept.
        """
        self._submit([Written(tuple(calls))]).result()

    def find_exported(self, request_ids: Sequence[str]) -> dict[str, Exported]:
        """Those of these requests that were written to a file.

        Raises:
            JournalError: the file cannot be read.
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

    # --- claims

    def claim(self, keys: Sequence[str]) -> set[str]:
        """The keys that the caller may send: those that nobody alive, itself included, has claimed.

        Raises:
            JournalError: the journal cannot be written, so that an answer could not be kept.
        """
        if keys:
            self.prepare()
        return self._claims.claim(keys)

    def release(self, keys: Collection[str]) -> None:
        """Give claims of this process up.

        Raises:
            JournalError: the file cannot be written.
        """
        self._claims.release(keys)

    def turn(self, model: str, identity: str) -> Turn:
        """The turn to send a model calls: to be waited for where machines share the lake.

        Args:
            identity: what the model's answers depend on.
        """
        return Always() if self._log is None else LeasedTurn(self._leased, model, identity, self.catch_up)

    # --- the file

    def exists(self) -> bool:
        """Whether the lake has a journal.

        Raises:
            JournalError: its folder may not be looked into.
            LakeError: the objects of a lake that machines share cannot be.
        """
        if self._reader is not None:
            return True
        if self._log is not None:
            return self._log.exists()
        with explained(self.path):
            return self.path.exists()

    def catch_up(self) -> None:
        """Bring a copy up to date; a journal that is none is.

        Raises:
            JournalError, LakeError: it cannot be read.
        """
        if self._log is not None and (self._log.exists() or self.path.exists()):
            self._open().close()

    def prepare(self) -> None:
        """Make sure that answers can be kept, before one is paid for.

        Raises:
            JournalError: the file cannot be made or written.
        """
        if not self._is_ready:
            self._submit(()).result()
            self._is_ready = True

    def close(self) -> None:
        """Write what is waiting, give all claims up and close the files; the next use opens them again."""
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
            leases, self._leases = self._leases, None
        if leases is not None:
            leases.close()
        self._claims.close()

    def _reading(self) -> sqlite3.Connection:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def _open(self, *, makes: bool = False) -> sqlite3.Connection:
        if self._log is None:
            return open_database(self.path, SCHEMA, KIND, VERSION, "full")
        try:
            database = open_database(self.path, SCHEMA, KIND, VERSION, "normal")
        except JournalError as error:
            raise JournalError(
                f"{error}. All of it is in {self._log.objects.url}: this file is a copy on this machine, and is made again "
                "where it is deleted"
            ) from error
        try:
            with explained(self.path):
                self._log.attach(database, makes=makes)
        except BaseException:
            database.close()
            raise
        return database

    def _leased(self) -> Leases:
        """The leases of this process, which is seen to live from now on."""
        assert self._log is not None
        self.prepare()
        self._claims.live()
        with self._lock, explained(self.path):
            if self._leases is None:
                machine = self._log.machine(self._reading())
                self._leases = Leases(self._log.objects, self._claims, machine)
            return self._leases

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
                self._writer = threading.Thread(target=self._write, name="journal", daemon=True)
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
                database = database or self._open(makes=True)
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
                        self._log.append(database, lines)
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


def _finish(waiting: _Waiting, result: Sequence[Response] = (), error: BaseException | None = None) -> None:
    if not waiting.done.set_running_or_notify_cancel():
        return  # whoever asked has gone; what it asked for is done all the same
    if error is None:
        waiting.done.set_result([*result])
    else:
        waiting.done.set_exception(error)
