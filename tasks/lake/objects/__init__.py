"""Store a lake's bytes: objects under keys such as `cases/release=dev/part-00000-….parquet`.

One interface has two implementations: a folder (`folder.py`) and S3 (`s3.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tasks.core.errors import RunFailed


class LakeError(RunFailed):
    """The lake cannot be read or written; the message says what to do."""


class NoSuchObject(LakeError):
    """A key without an object."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(f"there is no {key} in {url}")


class Unreadable(LakeError):
    """A file that is there and cannot be read, such as one on a bad disk."""

    def __init__(self, url: str, path: Path, error: OSError) -> None:
        super().__init__(
            f"cannot read {path}: {error.strerror}. Make it readable, or delete it if its content "
            f"is lost, and run\n    tenkbench repair --lake {url}"
        )


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One object in a listing."""

    key: str
    modified_at: float  # seconds since 1970, by the storage's clock


class Objects(Protocol):
    """Bytes under keys; a reader sees a whole object or none.

    A key is a relative path with `/` between its pieces; no piece is `..` or begins with a dot.
    Every method raises `LakeError`, which says what to do, if the storage cannot be used.
    """

    @property
    def url(self) -> str:
        """The place in messages: `s3://bucket/prefix`, or the folder's absolute path."""

    @property
    def here(self) -> Path:
        """A local folder for what must be a local file; the place itself, if it is a folder."""

    @property
    def at_once(self) -> int:
        """How many concurrent requests are worthwhile; all methods are thread-safe."""

    def read(self, key: str) -> bytes:
        """Return an object's content, or raise `NoSuchObject`."""

    def read_versioned(self, key: str) -> tuple[bytes, str]:
        """Return an object's content, and its version for `replace`.

        Equal contents may have equal versions.
        """

    def put(self, key: str, data: bytes) -> None:
        """Create or replace an object; it is durable when this returns."""

    def create(self, key: str, data: bytes) -> bool:
        """Create an object unless there is one; return whether this call did."""

    def replace(self, key: str, data: bytes, version: str) -> bool:
        """Replace an object if it still has this version; return whether this call did.

        Also False if another writer replaced our object before we had our answer.
        """

    def exists(self, key: str) -> bool:
        """Whether there is an object under this key."""

    def list(self, folder: str) -> Iterator[StoredObject]:
        """Yield every object below a folder such as `_commits/release=dev`, by key; `""`: all."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; missing ones are ignored."""

    def file(self, key: str) -> Path:
        """Return a local file with the content of an object that never changes.

        For a remote object it is a copy below `here`, downloaded once.
        """

    def make_ready(self) -> None:
        """Create the place if possible, and check that writes have the guarantees given here."""


def open_objects(lake: str) -> Objects:
    """Return the objects of a lake: `s3://bucket/prefix`, or a folder, which may not exist yet."""
    if lake.startswith("s3://"):
        from tasks.lake.objects.s3 import S3Objects

        return S3Objects(lake)
    # a typing error would make a folder of that name
    if "://" in lake or re.match("(?i)s3[a-z]?:", lake):
        raise LakeError(
            "a lake is a folder or s3://bucket/prefix, and what begins with "
            f"{lake.partition('://')[0]}:// is neither. Choose another --lake"
        )
    from tasks.lake.objects.folder import FolderObjects

    return FolderObjects(lake)
