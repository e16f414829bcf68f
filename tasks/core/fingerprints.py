"""Hashes and versions of the code, packages and files that a step's rows depend on.

Hashes of code have 12 hexadecimal digits: short enough to show to a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tasks.core.ids import sha256_hex

# Parts of `tasks/` that make no rows, or only one suite's.
_MAKE_NO_ROWS = ("__pycache__", "README.md", "baseline", "pipeline", "results", "suites")
_NO_CODE = ("__pycache__", "README.md")


@cache
def code_of(suite: str | None) -> dict[str, str]:
    """Hash the source and data of each package that can make a suite's rows.

    Each commit records the hashes; they are never part of an identity.

    Args:
        suite: the suite's package; None for the packages that all suites share.
    """
    tasks = files("tasks")
    rooms = [f"tasks/{entry.name}" for entry in tasks.iterdir() if entry.name not in _MAKE_NO_ROWS]
    if suite is not None:
        name = suite.rpartition(".")[2]
        rules = {entry.name for entry in (tasks / "baseline").iterdir()} & {name, f"{name}.py"}
        rooms += ["tasks/suites/shared", suite.replace(".", "/")]
        rooms += [f"tasks/baseline/{rule}" for rule in rules]
    return {room: _hash_of(room) for room in sorted(rooms)}


@cache
def version_of(package: str) -> str | None:
    """Return a package's version, or None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def file_hash(path: Path) -> str:
    """Hash a file's bytes, or a folder's files, to 16 digits; `unreadable` if it cannot be read."""
    if path.is_dir():
        files_in = sorted(file for file in path.rglob("*") if file.is_file())
        hashes = [(file.relative_to(path).as_posix(), file_hash(file)) for file in files_in]
        return sha256_hex(repr(hashes))[:16]
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError:
        return "unreadable"


def digest(value: Any) -> str:
    """Hash a value's `repr`."""
    return sha256_hex(repr(value))[:12]


@cache
def _hash_of(room: str) -> str:
    package, *below = room.split("/")
    return digest(list(file_hashes(files(package).joinpath(*below), room)))


def file_hashes(entry: Traversable, name: str) -> Iterator[tuple[str, str]]:
    """Yield name and hash of a packaged file, or of each file in a folder, sorted."""
    if not entry.is_dir():
        yield name, hashlib.sha256(entry.read_bytes()).hexdigest()[:12]
        return
    for below in sorted(entry.iterdir(), key=lambda below: below.name):
        if below.name not in _NO_CODE:
            yield from file_hashes(below, f"{name}/{below.name}")
