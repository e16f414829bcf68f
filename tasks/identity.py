"""What a step's rows depend on besides data: code, prompts, packages, files named by options.

Hashes of 12 hexadecimal digits, so that a difference can be shown to a person.
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

# What every step's rows are made with, whatever its rooms. Not what one suite alone is made with: see `DependsOn`.
_CORE = (
    "schemas.py",
    "masked_rows.py",
    "ids.py",
    "text/tokens.py",
    "operations.py",
    "ledger.py",
    "prompts/__init__.py",
)

# Packages whose data or rules reach rows. A version that is not installed matters too: spaCy's
# parser model decides how verbs and objects are found.
_PACKAGES = {
    "text/tokens.py": ("tiktoken",),
    "citations": ("nltk",),
    "perturbations": ("codespell", "pyspellchecker"),
    "text/verbs.py": ("spacy", "en-core-web-sm"),
}


def code_of(rooms: Sequence[str]) -> dict[str, str]:
    """`tasks/<room>` -> hash of its source and data, for the rooms and what all of them use."""
    return {f"tasks/{room}": _hash_of(room) for room in (*rooms, *_CORE)}


def prompts_of(names: Sequence[str]) -> dict[str, str]:
    """Template -> hash of its text, for files and folders of `tasks/prompts`."""
    root = files("tasks.prompts")
    return {found: hashed for name in names for found, hashed in _walk(root.joinpath(*name.split("/")), name)}


def packages_of(rooms: Sequence[str]) -> dict[str, str | None]:
    """Package -> version, or None where it is not installed, for those that the rooms read."""
    return {name: _version(name) for room in (*rooms, *_CORE) for name in _PACKAGES.get(room, ())}


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
