"""Where a lake's bytes lie: objects under keys such as `cases/release=dev/part-00000-….parquet`.

One interface, two places: a folder (`folder.py`) and S3 (`s3.py`). What the lake makes of the objects (parts, commits,
releases) is in `tasks.lake.lake`; nothing here knows of it.
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
    """There is no object under a key."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(f"there is no {key} in {url}")


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as a listing shows it."""

    key: str
    n_bytes: int
    modified_at: float  # seconds since 1970, by the storage's clock


class Objects(Protocol):
    """Bytes under keys; a reader sees a whole object or none.

    A key is a relative path with `/` between its pieces; no piece is `..` or begins with a dot. Every method raises
    `LakeError` when the storage cannot be reached, read or written, and says what to do.
    """

    @property
    def url(self) -> str:
        """What people call the place: `s3://bucket/prefix`, or the folder's absolute path."""

    @property
    def here(self) -> Path:
        """A folder on this machine for what must be a local file: the place itself where it is a folder."""

    @property
    def at_once(self) -> int:
        """How many requests are worth making at a time; every method may be called from several threads."""

    def read(self, key: str) -> bytes:
        """An object's content.

        Raises:
            NoSuchObject: there is none.
        """

    def read_versioned(self, key: str) -> tuple[bytes, str]:
        """An object's content and its version, which `replace` takes: the same content may have the same version.

        Raises:
            NoSuchObject: there is none.
        """

    def put(self, key: str, data: bytes) -> None:
        """Make or replace an object; it is durable when this returns."""

    def create(self, key: str, data: bytes) -> bool:
        """Make an object only where there is none; False: there is one, and it was left alone."""

    def replace(self, key: str, data: bytes, version: str) -> bool:
        """Replace an object only where it still is of this version; False: it is not, or is gone, and was left alone.

        False too where it was replaced, but another writer replaced that again before this one had its answer.
        """

    def exists(self, key: str) -> bool:
        """Whether there is an object under this key."""

    def list(self, folder: str) -> Iterator[StoredObject]:
        """Every object below a folder such as `_commits/release=dev`, by key; `""` is all of them."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are not there do no harm."""

    def file(self, key: str) -> Path:
        """A file on this machine with the content of an object that never changes: its key says its content.

        Of an object elsewhere it is a copy below `here`, which is fetched once.

        Raises:
            NoSuchObject: there is none.
        """

    def make_ready(self) -> None:
        """Make the place where that can be done, and see that it can be written with the guarantees given here."""

    def remove_unfinished(self, folders: Iterable[str], older_than_s: float) -> None:
        """Remove what writers that were killed left below these folders, if it is that old.

        No reader ever sees it, but it takes space. What lies elsewhere may be another program's.
        """


def open_objects(lake: str) -> Objects:
    """The objects of a lake: `s3://bucket/prefix`, or a folder, which need not be there yet.

    Raises:
        LakeError: the address is of neither kind.
    """
    kind, separator, _ = lake.partition("://")
    if kind == "s3" and separator:
        from tasks.lake.objects.s3 import S3Objects

        return S3Objects(lake)
    if separator or re.match(r"(?i)s3[a-z]?:", lake):  # a slip of the pen would make a folder of that name
        begins = f"{kind}://" if separator else f"{lake[: lake.index(':')]}: without //"
        raise LakeError(
            f"a lake is a folder or s3://bucket/prefix; what begins with {begins} is neither: choose another --lake"
        )
    from tasks.lake.objects.folder import FolderObjects

    return FolderObjects(lake)
