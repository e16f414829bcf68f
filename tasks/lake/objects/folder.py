"""Objects in a folder, one file each."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from operator import attrgetter
from pathlib import Path

from tasks.lake.objects import LakeError, NoSuchObject, StoredObject, Unreadable


class FolderObjects:
    """Objects below a folder, which the first write creates.

    A file is written under another name, flushed to disk and moved into place. Writers lock the
    folder, so that nobody comes between reading a version and the move.
    """

    at_once = 1

    def __init__(self, folder: str | Path) -> None:
        self.here = Path(folder).expanduser().resolve()

    @property
    def url(self) -> str:
        return str(self.here)

    def read(self, key: str) -> bytes:
        path = self._path(key)
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as missing:
            raise NoSuchObject(self.url, key) from missing
        except OSError as error:
            raise Unreadable(self.url, path, error) from error

    def read_versioned(self, key: str) -> tuple[bytes, str]:
        data = self.read(key)
        return data, hashlib.sha256(data).hexdigest()

    def put(self, key: str, data: bytes) -> None:
        self._write(key, data, lambda: True)

    def create(self, key: str, data: bytes) -> bool:
        path = self._path(key)
        return not path.exists() and self._write(key, data, lambda: not path.exists())

    def replace(self, key: str, data: bytes, version: str) -> bool:
        def is_current() -> bool:
            return self.exists(key) and self.read_versioned(key)[1] == version

        return self._write(key, data, is_current)

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def list(self, folder: str) -> Iterator[StoredObject]:
        stored = []
        for place, _, names in os.walk(self._path(folder) if folder else self.here):
            for path in (Path(place, name) for name in names if not name.startswith(".")):
                with suppress(FileNotFoundError):  # removed meanwhile
                    key = path.relative_to(self.here).as_posix()
                    stored.append(StoredObject(key, path.stat().st_mtime))
        return iter(sorted(stored, key=attrgetter("key")))

    def delete(self, keys: Iterable[str]) -> None:
        paths = [path for path in map(self._path, keys) if path.exists()]
        if not paths:
            return
        with self._lock():
            for path in paths:
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise LakeError(f"cannot remove {path}: {error.strerror}") from error

    def file(self, key: str) -> Path:
        path = self._path(key)
        if not path.is_file():
            raise NoSuchObject(self.url, key)
        return path

    def make_ready(self) -> None:
        try:
            self.here.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.here):
                pass
        except OSError as error:
            raise LakeError(
                f"cannot write the lake {self.here}: {error.strerror}. Choose another --lake"
            ) from error

    def _path(self, key: str) -> Path:
        pieces = key.split("/")
        if any(piece in ("", "..") or piece.startswith(".") for piece in pieces):
            raise ValueError(f"{key!r} is not a key of an object")
        return self.here.joinpath(*pieces)

    def _lock(self) -> AbstractContextManager[object]:
        from filelock import FileLock

        # held only for a read and a move, so waits are short
        return FileLock(self.here / ".lock", poll_interval=0.005)

    def _write(self, key: str, data: bytes, may_write: Callable[[], bool]) -> bool:
        """Write a durable file, and move it into place if that is allowed then."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(name, 0o644)
                with self._lock():
                    is_written = may_write()
                    if is_written:
                        os.replace(name, path)
                flush_to_disk(path.parent)
                return is_written
            finally:
                Path(name).unlink(missing_ok=True)
        except OSError as error:
            raise LakeError(
                f"cannot write {path}: {error.strerror}. Make sure that its folder can "
                "be written and its disk has space, or choose another --lake"
            ) from error


def flush_to_disk(path: Path) -> None:
    """Flush a file's content, or a folder's names, so that it survives a power failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
