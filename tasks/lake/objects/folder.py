"""Objects in a folder, one file each."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from tasks.lake.objects import LakeError, NoSuchObject, StoredObject, Unreadable

# Prefix of unfinished files; the leading dot keeps them out of listings.
_UNFINISHED = ".writing-"


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
        with self._written(key, data) as unfinished, self._lock():
            os.replace(unfinished, self._path(key))

    def create(self, key: str, data: bytes) -> bool:
        path = self._path(key)
        if path.exists():
            return False
        with self._written(key, data) as unfinished, self._lock():
            is_free = not path.exists()
            if is_free:
                os.replace(unfinished, path)
            return is_free

    def replace(self, key: str, data: bytes, version: str) -> bool:
        with self._written(key, data) as unfinished, self._lock():
            is_there = self.exists(key) and self.read_versioned(key)[1] == version
            if is_there:
                os.replace(unfinished, self._path(key))
            return is_there

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def list(self, folder: str) -> Iterator[StoredObject]:
        found = [
            StoredObject(path.relative_to(self.here).as_posix(), status.st_mtime)
            for path, status in self._files(folder)
            if not path.name.startswith(".")
        ]
        return iter(sorted(found, key=lambda stored: stored.key))

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
                f"cannot write the lake {self.here}: {why_not(self.here, error)}. Choose another "
                "--lake"
            ) from error

    def remove_unfinished(self, folders: Iterable[str], older_than_s: float) -> None:
        limit = time.time() - older_than_s
        for path, status in chain.from_iterable(map(self._files, folders)):
            if path.name.startswith(_UNFINISHED) and status.st_mtime < limit:
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        pieces = key.split("/")
        if any(piece in ("", "..") or piece.startswith(".") for piece in pieces):
            raise ValueError(f"{key!r} is not a key of an object")
        return self.here.joinpath(*pieces)

    def _files(self, folder: str) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield every file below a folder, also hidden ones."""
        for place, _, names in os.walk(self._path(folder) if folder else self.here):
            for name in names:
                path = Path(place, name)
                try:
                    yield path, path.stat()
                except FileNotFoundError:  # removed meanwhile
                    continue

    @contextmanager
    def _lock(self) -> Iterator[None]:
        from filelock import FileLock

        # held only for a read and a move, so waits are short
        with FileLock(self.here / ".lock", poll_interval=0.005):
            yield

    @contextmanager
    def _written(self, key: str, data: bytes) -> Iterator[str]:
        """Write a durable file beside its target; remove it after the block unless moved."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=_UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(name, 0o644)
                yield name
                flush_to_disk(path.parent)
            finally:
                Path(name).unlink(missing_ok=True)
        except OSError as error:
            raise LakeError(
                f"cannot write {path}: {why_not(self.here, error)}. Make sure that its folder can "
                "be written and its disk has space, or choose another --lake"
            ) from error


def why_not(folder: Path, error: OSError) -> str:
    """Say why a lake's folder cannot be written; a file in its place is named."""
    for place in (folder, *folder.parents):
        if os.path.exists(place) and not os.path.isdir(place):
            return f"{place} is a file, not a folder"
    return error.strerror or str(error)


def flush_to_disk(path: Path) -> None:
    """Flush a file's content, or a folder's names, so that it survives a power failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
