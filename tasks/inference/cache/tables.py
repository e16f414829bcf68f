"""The response cache's table: answers, SQLite file and errors.

The table follows from the answers and their order alone, so every machine builds the same one.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from filelock import FileLock

from tasks.core.errors import RunFailed
from tasks.core.rows import Response
from tasks.lake.objects.folder import flush_to_disk

# SQLite's `application_id` and `user_version` of our files.
KIND = 0x746B626A
VERSION = 6
SCHEMA = """
create table if not exists answers (
    key text not null,
    model text not null,
    operation text not null,
    added_at real not null,         -- seconds since 1970
    superseded_at real,             -- null: this is the key's answer
    request_id text not null,       -- of the request that bought it
    status text not null,
    text text,
    reasoning text,
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
    cost_usd real,
    checksum integer,               -- of key and response
    first_token_ms real
);
create unique index if not exists answer_of_key on answers (key) where superseded_at is null;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One bought answer, current unless its key has one; or a charged failure.

    It replaces a stored answer whose number (SQLite's rowid) is at most `after`.
    """

    key: str
    model: str
    operation: str
    response: Response
    at: float  # seconds since 1970
    after: int | None = None
    is_kept: bool = True  # False: a charged failure, which will be asked again


RESPONSE_COLUMNS = tuple(field.name for field in dataclasses.fields(Response))

# --- in the table ------------------------------------------------------------------------


_IS_CURRENT = "from answers where key = ? and superseded_at is null"
_ANSWER_COLUMNS = (
    *("key", "model", "operation", "added_at", "superseded_at", "checksum"),
    *RESPONSE_COLUMNS,
)
_SUPERSEDE = (
    "update answers set superseded_at = ? where key = ? and superseded_at is null and rowid <= ?"
)
_BUY = (
    f"insert into answers ({', '.join(_ANSWER_COLUMNS)}) "
    f"values ({', '.join('?' * len(_ANSWER_COLUMNS))})"
)


def apply(database: sqlite3.Connection, answer: Answer) -> None:
    """Write an answer to the tables."""
    superseded_at: float | None = answer.at
    if answer.is_kept:
        if answer.after is not None:
            database.execute(_SUPERSEDE, [answer.at, answer.key, answer.after])
        # a second answer of a key is superseded from the start
        if not database.execute(f"select 1 {_IS_CURRENT}", [answer.key]).fetchone():
            superseded_at = None
    values = [getattr(answer.response, column) for column in RESPONSE_COLUMNS]
    bought = [answer.key, answer.model, answer.operation, answer.at, superseded_at]
    database.execute(_BUY, [*bought, checksum_of(answer.key, values), *values])


def checksum_of(key: str, values: Sequence[Any]) -> int:
    """Return the CRC-32 of an answer, in the order of `RESPONSE_COLUMNS`, as SQLite returns it."""
    is_real = ("latency_ms", "first_token_ms", "cost_usd")
    same = [
        float(value) if name in is_real and isinstance(value, int | float) else value
        for name, value in zip(RESPONSE_COLUMNS, values, strict=True)
        if name != "first_token_ms" or value is not None  # version 5 counted none
    ]
    # a damaged column may have another type
    return zlib.crc32(json.dumps([key, *same], default=repr).encode())


def current(database: sqlite3.Connection, answer: Answer) -> Response:
    """Return the current answer of a key that has been bought; a charged failure is itself."""
    if not answer.is_kept:
        return answer.response
    select = f"select {', '.join(RESPONSE_COLUMNS)} {_IS_CURRENT}"
    return response_of(database.execute(select, [answer.key]).fetchone())


def response_of(values: Sequence[Any]) -> Response:
    """Return the response with these values, in the order of `RESPONSE_COLUMNS`."""
    return Response(**dict(zip(RESPONSE_COLUMNS, values, strict=True)))


def encoded(answer: Answer) -> bytes:
    """Return an answer as a line of JSON; raise `TypeError` for half of a surrogate pair."""
    # Refuse integers beyond 53 bits: SQLite could not take one, and the log would keep it for good.
    return orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_STRICT_INTEGER)


def decoded(line: bytes) -> Answer:
    """Return the answer in a line; raise ValueError, TypeError or KeyError if there is none."""
    fields = orjson.loads(line)
    match fields:  # as logs had it until November 2026
        case {"kept": {"answer": answer, "at": at}}:
            fields = answer | {"at": at}
        case {"charged": {"failure": answer, "at": at}}:
            fields = answer | {"at": at, "is_kept": False}
    return Answer(**(fields | {"response": Response(**fields["response"])}))


# --- the file ---------------------------------------------------------------------------

# How long to wait for a file that another program has locked.
BUSY_S = 60.0


class CacheError(RunFailed):
    """The response cache cannot be read or written."""


def open_database(path: Path, synchronous: str) -> sqlite3.Connection:
    """Connect to a cache's file; create it if it is missing.

    Args:
        synchronous: FULL: each commit is on disk when it returns. NORMAL: a power failure can
            lose the last commits, a killed process cannot.
    """
    with explained(path):
        if not path.exists():
            _make(path)
        database = _connect(path)
        try:
            _check(path, database)
            database.execute(f"pragma synchronous = {synchronous}")
        except BaseException:
            database.close()
            raise
        return database


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a cache's file for reading, even without write access."""
    with explained(path), closing(_connect_to_read(path)) as database:
        _check(path, database)
        yield database


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the block's SQLite and system errors into a `CacheError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CacheError(
            f"cannot use the response cache {path}: {why}. We left it as it is: it holds paid "
            "answers. Check the disk's space, who may read and write the file and its folder, and "
            "whether another program has it open. If it is damaged, restore it from a copy, or "
            "move it away to start a new cache, which asks everything again"
        ) from error


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one write transaction, all or nothing."""
    database.execute("begin immediate")
    try:
        yield
        database.execute("commit")
    except BaseException:
        if database.in_transaction:  # SQLite rolls back itself on some errors
            database.execute("rollback")
        raise


def _connect(path: Path) -> sqlite3.Connection:
    # Several threads share one connection; each caller holds a lock of its own.
    return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _connect_to_read(path: Path) -> sqlite3.Connection:
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _connect(path)
    # Beside a WAL file SQLite wants to write, unless `immutable` says that nobody does. If there is
    # no log, nobody does.
    how = "mode=ro" if _log_of(path).exists() else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_S)


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _make(path: Path) -> None:
    """Create the file under another name, then move it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.parent / ".making.lock"):
        if path.exists():
            return
        if _log_of(path).exists():  # SQLite would replay it
            raise CacheError(
                f"the response cache {path} is gone, but {_log_of(path).name}, which holds its "
                "latest answers, is still there. Restore the file, or move the log away to start a "
                "new cache, which asks everything again"
            )
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".making-") as folder:
            made = Path(folder, path.name)
            with closing(_connect(made)) as database:
                # flushed once below, instead of per statement
                database.execute("pragma synchronous = off")
                database.execute("pragma journal_mode = wal")
                database.executescript(SCHEMA)
                database.execute(f"pragma application_id = {KIND}")
                database.execute(f"pragma user_version = {VERSION}")
            flush_to_disk(made)
            os.replace(made, path)
            flush_to_disk(path.parent)


def _check(path: Path, database: sqlite3.Connection) -> None:
    """Refuse a file that is no cache of this version."""
    (kind,) = database.execute("pragma application_id").fetchone()
    (version,) = database.execute("pragma user_version").fetchone()
    if (kind, version) != (KIND, VERSION):
        what = f"has layout {version}, and this tenkbench reads {VERSION}"
        raise CacheError(
            f"{path} {what if kind == KIND else 'is not a response cache, or was emptied'}. We "
            "left it as it is. Use the version that wrote it, restore it from a copy, or move it "
            "away to start a new cache, which asks everything again"
        )
