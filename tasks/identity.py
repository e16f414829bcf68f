"""Hashes and versions of what makes a step's rows: code, prompts, packages, files named by options.

Hashes have 12 hexadecimal digits, so that a difference can be shown to a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tasks.ids import sha256_hex

# Rooms of `tasks/` that make no row: they show, compare and carry what others made.
_MAKE_NO_ROWS = ("__pycache__", "audits", "estimates", "publishing", "releases", "report", "suites")


@cache
def code_of(suite: str | None) -> dict[str, str]:
    """`tasks/<room>` -> hash of its source and data, without those that make no row of the suite.

    Recorded with each commit, never part of an identity.

    Args:
        suite: whose rows they make; None for those that all suites share.
    """
    rooms = [entry.name for entry in files("tasks").iterdir() if entry.name not in _MAKE_NO_ROWS]
    if suite is not None:
        rooms += [f"suites/{suite}.py", "suites/__init__.py"]
    return {f"tasks/{room}": _hash_of(room) for room in sorted(rooms)}


def prompts_of(names: Sequence[str]) -> dict[str, str]:
    """Template -> hash of its text, for files and folders of `tasks/prompts`."""
    root = files("tasks.prompts")
    return {found: hashed for name in names for found, hashed in _walk(root.joinpath(*name.split("/")), name)}


def packages_of(names: Sequence[str]) -> dict[str, str | None]:
    """Package -> version, or None if it is not installed.

    Both matter: without spaCy's parser model, verbs and objects are found by rule.
    """
    return {name: _version(name) for name in names}


def release_of_tenkbench() -> str:
    """The installed version of tenkbench itself."""
    return _version("tenkbench") or "not installed"


def file_hash(path: Path) -> str:
    """Hash of a file's bytes, or `unreadable`."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError:
        return "unreadable"


def digest(value: Any) -> str:
    """Hash of a value's `repr`."""
    return sha256_hex(repr(value))[:12]


@cache
def _hash_of(room: str) -> str:
    entry = files("tasks").joinpath(*room.split("/"))
    return digest(list(_walk(entry, room)))


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _walk(entry: Traversable, name: str) -> Iterator[tuple[str, str]]:
    if not entry.is_dir():
        yield name, hashlib.sha256(entry.read_bytes()).hexdigest()[:12]
        return
    for below in sorted(entry.iterdir(), key=lambda below: below.name):
        if below.name != "__pycache__":
            yield from _walk(below, f"{name}/{below.name}")
