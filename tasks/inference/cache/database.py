"""SQLite files of a lake: made whole or not at all, and their failures told in a sentence."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tasks.core.errors import RunFailed

# How long a file that another program holds is waited for.
BUSY_S = 60.0


class JournalError(RunFailed):
    """The ledger's file cannot be read or written; the message names it and says what to do."""


def open_database(path: Path, schema: str, kind: int, version: int, synchronous: str) -> sqlite3.Connection:
    """A connection to a database of ours, which is made when it is missing.

    Args:
        schema: statements that make its tables where they are missing: a version may add some, never change one.
        kind: SQLite's `application_id`, by which a file is known to be of this kind.
        version: of the schema; SQLite's `user_version`.
        synchronous: FULL has every commit on disk when it returns; NORMAL can lose the last ones
            when the machine loses power, never when a process dies.

    Raises:
        JournalError: it cannot be made, opened or read, or is something else.
    """
    with explained(path):
        if not path.exists():
            _make(path, schema, kind, version)
        database = _connect(path)
        try:
            if _check(path, database, kind, version) < version:
                database.executescript(schema)
                database.execute(f"pragma user_version = {version}")
            database.execute(f"pragma synchronous = {synchronous}")
        except BaseException:
            database.close()
            raise
        return database


@contextmanager
def reading(path: Path, kind: int, version: int) -> Iterator[sqlite3.Connection]:
    """A connection to a database of ours that is only read, also by someone who may write nothing there.

    Raises:
        JournalError: it cannot be read, or is something else.
    """
    with explained(path, reads_only=True), closing(_connect_to_read(path)) as database:
        _check(path, database, kind, version)
        yield database


def is_there(path: Path) -> bool:
    """Whether there is such a file.

    Raises:
        JournalError: its folder may not be looked into, so that nobody can tell.
    """
    with explained(path, reads_only=True):
        return path.exists()


@contextmanager
def explained(path: Path, *, reads_only: bool = False) -> Iterator[None]:
    """Tell SQLite's and the system's failures within the block in a sentence.

    Args:
        reads_only: whether the block writes nothing, so that leave to write is not what it lacks.

    Raises:
        JournalError: in place of any `sqlite3.Error` or `OSError`.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise JournalError(_sentence(path, error, reads_only)) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise JournalError(_unreadable(path, why) if reads_only else _unwritable(path, why)) from error


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: all of the block, or nothing of it."""
    database.execute("begin immediate")
    try:
        yield
        database.execute("commit")
    except BaseException:
        if database.in_transaction:  # some failures have rolled it back already
            database.execute("rollback")
        raise


def _connect(path: Path) -> sqlite3.Connection:
    # One connection serves several threads; whoever has it holds a lock of their own.
    return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _connect_to_read(path: Path) -> sqlite3.Connection:
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _connect(path)
    # Beside a file with a log SQLite wants to write, unless it is told that nobody does: so it is where no log is.
    how = "mode=ro" if _log_of(path).exists() else "immutable=1"
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_S, isolation_level=None
    )


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _make(path: Path, schema: str, kind: int, version: int) -> None:
    """Make the file under another name and move it into place, so that nobody meets half of it."""
    from filelock import FileLock

    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.parent / ".making.lock"):
        if path.exists():
            return
        _refuse_orphan(path)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".making-") as folder:
            made = Path(folder, path.name)
            with closing(_connect(made)) as database:
                database.execute("pragma synchronous = off")  # flushed once, below, not at each statement
                database.execute("pragma journal_mode = wal")
                database.executescript(schema)
                database.execute(f"pragma application_id = {kind}")
                database.execute(f"pragma user_version = {version}")
            _flush(made)
            os.replace(made, path)
            _flush(path.parent)


def _refuse_orphan(path: Path) -> None:
    """SQLite would play the log of a lost file into a new one."""
    log = _log_of(path)
    if log.exists():
        raise JournalError(
            f"the ledger {path} is gone, but {log.name}, which holds its latest answers, is still there; put the file "
            f"back, or move {log.name} away to start a new ledger, which will ask everything again"
        )


def _flush(path: Path) -> None:
    """Have a file's content, or a folder's names, on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check(path: Path, database: sqlite3.Connection, kind: int, version: int) -> int:
    """The version of the file's schema: this one, or an earlier one, which lacks some of its tables."""
    (found_kind,) = database.execute("pragma application_id").fetchone()
    (found_version,) = database.execute("pragma user_version").fetchone()
    if found_kind != kind:
        raise JournalError(
            f"{path} is not a ledger of tenkbench, or was emptied; it is left as it is. Put the right file back from a "
            "copy, or move this one away to start a new ledger, which will ask everything again"
        )
    if found_version > version:
        raise JournalError(
            f"{path} was written by a newer tenkbench (layout {found_version}, this one reads {version}); "
            "use that one, or another --lake"
        )
    return int(found_version)


def _sentence(path: Path, error: sqlite3.Error, reads_only: bool) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return (
            f"no space is left for the ledger {path}; answers so far are kept. Free some space, and run the same "
            "command again"
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"another program has held the ledger {path} for {BUSY_S:.0f} s; close what has it open (a shell, a backup), "
            "and run the same command again"
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return (
            f"the ledger {path} is damaged ({error}); it is left as it is, with the answers that were paid for in it. "
            f"Put a copy of it back, or save what can be read (`sqlite3 {path.name} .recover`); move it away only to "
            "start a new one, which will ask everything again"
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return _unreadable(path, str(error)) if reads_only else _unwritable(path, str(error))
    if name.startswith("SQLITE_IOERR"):
        return (
            f"reading or writing the ledger {path} failed ({error}, {name}); see to the disk, and run the same "
            "command again"
        )
    return f"the ledger {path} failed: {error} ({name or type(error).__name__})"


def _unwritable(path: Path, why: str) -> str:
    return f"cannot write the ledger {path}: {why}; make it and its folder writable, or choose another --lake"


def _unreadable(path: Path, why: str) -> str:
    log = _log_of(path)
    if os.access(path, os.R_OK) and os.access(log, os.R_OK):  # SQLite reads a log only beside an index of it
        return (
            f"cannot read the ledger {path}: {why}; its latest answers stand in {log.name}, left by a run that was "
            f"killed, and reading that takes leave to write in {path.parent}. Have somebody with that leave run "
            '`tenkbench sql "select count(*) from raw.journal"` on the lake, or copy the lake and read the copy'
        )
    return (
        f"cannot read the ledger {path}: {why}; have its owner let you read it, its folder and what else lies there, "
        "or give you a copy of the lake"
    )
