"""Claims: which keys a running process is about to send, so that no other one sends them too.

A claim is a row (key, owner). An owner lives as long as it holds the lock on a file of its own;
the system lets go of that lock when the process ends, however it ends, so the claims of a killed
process are void at once. Claims need not outlive a power cut; so claiming waits for no disk.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.inference.cache.database import explained, open_database, transaction

if TYPE_CHECKING:
    from filelock import BaseFileLock

_KIND = 0x746B6231
_VERSION = 1
_SCHEMA = """
create table if not exists claims (
    key text primary key,
    owner text not null
) without rowid;
create index if not exists claims_of_owner on claims (owner);
"""
_LOCK_FILES = "running-*.lock"
_CHUNK = 500  # keys per statement; SQLite takes 32,766 at most


class Claims:
    """The claims of one lake, as one owner sees them.

    Args:
        path: the SQLite file; made when the first claim is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self._alive: BaseFileLock | None = None
        self._database: sqlite3.Connection | None = None

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Claim the keys that nobody alive has claimed, and return those; one's own are claimed, too.

        Raises:
            JournalError: the file cannot be used.
        """
        if not keys:
            return set()
        with self._lock, explained(self.path):
            database = self._opened()
            with transaction(database):
                held: dict[str, str] = {}
                for chunk in chunks(keys, _CHUNK):
                    held |= database.execute(
                        f"select key, owner from claims where key in ({placeholders(chunk)})", chunk
                    )
                for owner in sorted(set(held.values()) - {self.owner}):
                    if self._bury(owner):
                        database.execute("delete from claims where owner = ?", [owner])
                        held = {key: holder for key, holder in held.items() if holder != owner}
                ours = [key for key in dict.fromkeys(keys) if key not in held]
                database.executemany(
                    "insert into claims (key, owner) values (?, ?)", [(key, self.owner) for key in ours]
                )
        return set(ours)

    def release(self, keys: Collection[str]) -> None:
        """Give up claims of one's own; keys that are not claimed do no harm."""
        if not keys or self._database is None:
            return
        with self._lock, explained(self.path):
            database = self._opened()
            with transaction(database):
                database.executemany(
                    "delete from claims where key = ? and owner = ?", [(key, self.owner) for key in keys]
                )

    def close(self) -> None:
        """Give up all claims, and stop being alive."""
        with self._lock, explained(self.path):
            if self._database is not None:
                self._database.execute("delete from claims where owner = ?", [self.owner])
                self._database.close()
                self._database = None
            if self._alive is not None:
                self._lock_file(self.owner).unlink(missing_ok=True)
                self._alive.release()
                self._alive = None

    def live(self) -> None:
        """Be seen as alive from now on.

        Raises:
            JournalError: the file cannot be used.
        """
        with self._lock, explained(self.path):
            self._opened()

    def is_dead(self, owner: str) -> bool:
        """Whether another owner on this machine has ended.

        Raises:
            JournalError: the files cannot be used.
        """
        with self._lock, explained(self.path):
            return self._bury(owner)

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            database = open_database(self.path, _SCHEMA, _KIND, _VERSION, "normal")
            for file in sorted(self.path.parent.glob(_LOCK_FILES)):  # left by processes that were killed
                self._bury(file.stem.removeprefix("running-"))
            self._alive = self._file_lock(self.owner)
            self._alive.acquire()
            self._database = database
        return self._database

    def _bury(self, owner: str) -> bool:
        """Whether an owner is dead; its file is removed then."""
        from filelock import Timeout

        file = self._lock_file(owner)
        if not file.exists():
            return True
        lock = self._file_lock(owner)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        file.unlink(missing_ok=True)  # while it is locked: whoever opened it meanwhile sees that it is gone
        lock.release()
        return True

    def _lock_file(self, owner: str) -> Path:
        return self.path.with_name(f"running-{owner}.lock")

    def _file_lock(self, owner: str) -> BaseFileLock:
        from filelock import FileLock

        return FileLock(self._lock_file(owner), thread_local=False)


def chunks(keys: Iterable[str], size: int) -> Iterator[list[str]]:
    """The keys, so many at a time."""
    rest = iter(keys)
    while chunk := list(islice(rest, size)):
        yield chunk


def placeholders(values: Sequence[str]) -> str:
    """A statement's question marks for these values."""
    return ",".join("?" * len(values))
