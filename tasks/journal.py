"""The journal: every answer that was ever bought for a lake, by key, in one SQLite file.

An answer is durable when `add` returns: a writer thread commits what is waiting in one
transaction, so many answers share one disk flush and none waits longer than the flush before it.
The first answer of a key is its answer for good; one that was bought a second time stands beside
it, for the accounts, and so does a failure that was charged for and will be asked again. Running
processes claim the keys that they are about to send; a claim ends with its process, however that
ends (`tasks.claims`).

The file belongs to processes of one machine: SQLite's log cannot be shared over a network drive.
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tasks.claims import Claims, chunks, placeholders
from tasks.database import explained, is_there, open_database, reading, transaction
from tasks.schemas import Response

_KIND = 0x746B626A
_VERSION = 2
_SCHEMA = """
create table if not exists answers (
    key text not null,
    model text not null,
    operation text not null,
    added_at real not null,         -- seconds since 1970
    superseded_at real,             -- null: this is the key's answer
    request_id text not null,       -- of the request that bought it
    status text not null,
    text text,
    finish_reason text,
    n_prompt integer,
    n_cached integer,
    n_output integer,
    latency_ms real,
    attempts integer not null,
    error_type text,
    error text,
    engine text not null,
    engine_version text not null,
    cost_usd real
);
create unique index if not exists answer_of_key on answers (key) where superseded_at is null;

create table if not exists deaths (
    key text primary key,           -- of a call that has no answer yet
    n integer not null              -- deaths of its server at which it was in flight
) without rowid;

create table if not exists exported (
    request_id text primary key,
    key text not null,
    model text not null,
    operation text not null,
    n_prompt_tokens integer not null,
    price text,                     -- JSON; null: nothing is paid per token
    file text not null,
    exported_at real not null,
    imported_at real                -- null: its reply is awaited
) without rowid;
"""
_RESPONSE_COLUMNS = tuple(field.name for field in dataclasses.fields(Response))
_INSERT = (
    f"insert into answers (key, model, operation, added_at, superseded_at, {', '.join(_RESPONSE_COLUMNS)}) "
    f"values (?, ?, ?, ?, ?, {', '.join('?' * len(_RESPONSE_COLUMNS))})"
)
_CURRENT = f"select {', '.join(_RESPONSE_COLUMNS)} from answers where key = ? and superseded_at is null"
_ADD_DEATH = "insert into deaths (key, n) values (?, 1) on conflict (key) do update set n = n + 1"
_CHUNK = 500  # keys per statement
_PORTION = 10_000  # purchases at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer as it is bought.

    `since` (seconds since 1970) lets it take the place of a kept answer from before then.
    """

    key: str
    model: str
    operation: str
    response: Response
    since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One call that was written to a file, for others to have it answered."""

    request_id: str
    key: str
    model: str
    operation: str
    n_prompt_tokens: int  # as estimated for the model
    price: str | None  # JSON
    file: str
    exported_at: float  # seconds since 1970
    imported_at: float | None = None


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
_EXPORTED_COLUMNS = tuple(field.name for field in dataclasses.fields(Exported))
_EXPORT = (
    f"insert or replace into exported ({', '.join(_EXPORTED_COLUMNS)}) "
    f"values ({', '.join('?' * len(_EXPORTED_COLUMNS))})"
)

Work = Callable[[sqlite3.Connection], Any]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Work for the writer's next transaction."""

    work: Work
    done: Future[Any]


class Journal:
    """The journal of one lake. It may be used from several threads and event loops.

    Args:
        path: the SQLite file; made with its folder when the first call is about to be sent.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
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
        if not keys or not self._is_there():
            return found
        columns = f"key, {', '.join(_RESPONSE_COLUMNS)}"
        with self._lock, explained(self.path):
            reader = self._reading()
            for chunk in chunks(keys, _CHUNK):
                rows = reader.execute(
                    f"select {columns} from answers where superseded_at is null and key in ({placeholders(chunk)}) "
                    "and added_at >= ? and (status = 'ok' or added_at >= ?)",
                    [*chunk, since or 0.0, failures_since or 0.0],
                )
                for key, *values in rows:
                    found[key] = _response(values)
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
        (kept,) = await asyncio.wrap_future(self._submit(lambda database: [_keep(database, answer)]))
        return kept

    async def add_charge(self, key: str, failure: Response, *, model: str, operation: str) -> None:
        """Put what a failure has cost that will be asked again into the accounts; it answers nobody.

        Raises:
            JournalError: it cannot be kept.
        """
        charged = Answer(key=key, model=model, operation=operation, response=failure)
        await asyncio.wrap_future(self._submit(lambda database: _charge(database, charged)))

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
        bought, failed, request_ids = list(answers), list(charged), list(imported)

        def work(database: sqlite3.Connection) -> list[Response]:
            database.executemany(
                "update exported set imported_at = ? where request_id = ?",
                [(time.time(), request_id) for request_id in request_ids],
            )
            for failure in failed:
                _charge(database, failure)
            return [_keep(database, answer) for answer in bought]

        kept: list[Response] = self._submit(work).result()
        return kept

    # --- calls that may kill their server

    def deaths(self, keys: Sequence[str]) -> dict[str, int]:
        """At how many deaths of its server each of these calls was in flight; without those that were at none.

        Raises:
            JournalError: the file cannot be read.
        """
        found: dict[str, int] = {}
        if not keys or not self._is_there():
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
        rows = [(key,) for key in keys]
        await asyncio.wrap_future(self._submit(lambda database: database.executemany(_ADD_DEATH, rows)))

    # --- files of calls

    def add_exported(self, calls: Iterable[Exported]) -> None:
        """Remember calls that are written to a file; one that was written before is in the later file.

        Raises:
            JournalError: they cannot be kept.
        """
        rows = [dataclasses.astuple(call) for call in calls]
        self._submit(lambda database: database.executemany(_EXPORT, rows)).result()

    def find_exported(self, request_ids: Sequence[str]) -> dict[str, Exported]:
        """Those of these requests that were written to a file.

        Raises:
            JournalError: the file cannot be read.
        """
        found: dict[str, Exported] = {}
        if not request_ids or not self._is_there():
            return found
        with self._lock, explained(self.path):
            for chunk in chunks(request_ids, _CHUNK):
                rows = self._reading().execute(
                    f"select {', '.join(_EXPORTED_COLUMNS)} from exported where request_id in ({placeholders(chunk)})",
                    chunk,
                )
                for row in rows:
                    exported = Exported(**dict(zip(_EXPORTED_COLUMNS, row, strict=True)))
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

    # --- the file

    def prepare(self) -> None:
        """Make sure that answers can be kept, before one is paid for.

        Raises:
            JournalError: the file cannot be made or written.
        """
        if not self._is_ready:
            self._submit(lambda database: None).result()
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
        self._claims.close()

    def _is_there(self) -> bool:
        with explained(self.path):
            return self._reader is not None or self.path.exists()

    def _reading(self) -> sqlite3.Connection:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def _open(self) -> sqlite3.Connection:
        return open_database(self.path, _SCHEMA, _KIND, _VERSION, "full")

    def _submit(self, work: Work) -> Future[Any]:
        """Have work done in the writer's next transaction."""
        waiting = _Waiting(work, Future())
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
                database = database or self._open()
            except BaseException as error:  # belongs to whoever waits, not to this thread
                for waiting in batch:
                    _finish(waiting, error=error)
            else:
                self._commit(database, batch)
        if database is not None:
            database.close()

    def _commit(self, database: sqlite3.Connection, batch: Sequence[_Waiting]) -> None:
        """One transaction for the batch; where that fails, one for each, so that only those at fault fail."""
        try:
            with explained(self.path), transaction(database):
                results = [waiting.work(database) for waiting in batch]
        except BaseException as error:  # theirs, too
            if len(batch) == 1:
                _finish(batch[0], error=error)
            else:
                for waiting in batch:
                    self._commit(database, [waiting])
            return
        for waiting, result in zip(batch, results, strict=True):
            _finish(waiting, result)


def purchases(path: Path) -> Iterator[list[tuple[Any, ...]]]:
    """Every purchase of a journal, portion by portion, each as its values in `Purchase`'s order.

    Nothing where there is no journal. The lake may be one that cannot be written.

    Raises:
        JournalError: the file cannot be read.
    """
    if not is_there(path):
        return
    with reading(path, _KIND, _VERSION) as database:
        cursor = database.execute(f"select {', '.join(_PURCHASE_COLUMNS)} from answers")
        while portion := cursor.fetchmany(_PORTION):
            yield portion


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


def _finish(waiting: _Waiting, result: Any = None, error: BaseException | None = None) -> None:
    if not waiting.done.set_running_or_notify_cancel():
        return  # whoever asked has gone; what it asked for is done all the same
    if error is None:
        waiting.done.set_result(result)
    else:
        waiting.done.set_exception(error)


def _keep(database: sqlite3.Connection, answer: Answer) -> Response:
    """Put an answer into its place, and return the one that counts."""
    now = time.time()
    database.execute("delete from deaths where key = ?", [answer.key])
    if answer.since is not None:
        database.execute(
            "update answers set superseded_at = ? where key = ? and superseded_at is null and added_at < ?",
            [now, answer.key, answer.since],
        )
    earlier = database.execute(_CURRENT, [answer.key]).fetchone()
    _insert(database, answer, now, None if earlier is None else now)
    return answer.response if earlier is None else _response(earlier)


def _charge(database: sqlite3.Connection, failure: Answer) -> None:
    now = time.time()
    _insert(database, failure, now, now)


def _insert(
    database: sqlite3.Connection, answer: Answer, added_at: float, superseded_at: float | None
) -> None:
    database.execute(
        _INSERT,
        [
            answer.key,
            answer.model,
            answer.operation,
            added_at,
            superseded_at,
            *(getattr(answer.response, column) for column in _RESPONSE_COLUMNS),
        ],
    )


def _response(values: Sequence[Any]) -> Response:
    return Response(**dict(zip(_RESPONSE_COLUMNS, values, strict=True)))
