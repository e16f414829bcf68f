"""Checks of this machine: Python, packages, tokenizer, disk and clock."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from tasks.core.findings import Finding
from tasks.core.http_probe import NoAnswer, ask

_INSTALL = "uv pip install -r requirements.lock"
_LOWEST_PYTHON = (3, 11)
_LEAST_FREE = 2**30  # bytes
# S3 rejects requests that are 15 minutes off, and leases on a shared lake last minutes.
_MOST_SKEW_S = 60.0
_SHOWN = 5


def python() -> list[Finding]:
    """Check that tenkbench supports this Python."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _LOWEST_PYTHON:
        return [Finding("Python", "ok", found)]
    return [Finding("Python", "not ok", found, "make clean && make run PYTHON=python3.11")]


def packages() -> list[Finding]:
    """Check packages against tenkbench's bounds, and list differences from a lock file."""
    from packaging.requirements import Requirement

    wrong, n_bounds = [], 0
    for line in metadata.requires("tenkbench") or []:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        n_bounds += 1
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            wrong.append(f"{requirement.name} {version} is not {requirement.specifier}")
    if wrong:
        return [Finding("packages", "not ok", "; ".join(wrong), _INSTALL)]
    return [Finding("packages", "ok", f"{n_bounds} within bounds{_differences()}")]


def _differences() -> str:
    lock = Path(__file__).parents[3] / "requirements.lock"
    if not lock.exists():  # installed without a checkout
        return ""
    installed = {_plain(each.name): each.version for each in metadata.distributions()}
    locked = (line.split("==", 1) for line in lock.read_text("utf-8").splitlines() if "==" in line)
    different = [
        f"{name} {installed[_plain(name)]}, not {version}"
        for name, version in locked
        if installed.get(_plain(name), version) != version
    ]
    if not different:
        return ", same as requirements.lock"
    more = f" and {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
    return f"; unlike requirements.lock: {'; '.join(different[:_SHOWN])}{more}"


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def tokenizer() -> list[Finding]:
    """Check that tokens can be counted without a download."""
    from tasks.text.tokens import encoding

    tokens = encoding().encode_ordinary("hello world")
    if tokens != [15339, 1917]:
        return [
            Finding("tokenizer", "not ok", f"wrong tokens for 'hello world': {tokens}", _INSTALL)
        ]
    return [Finding("tokenizer", "ok", f"cl100k_base, {encoding().n_vocab:,} tokens")]


def disk(folder: Path, *, is_lake: bool) -> list[Finding]:
    """Check the space for a lake or its working copies.

    Args:
        folder: existing or future folder of the lake or of its working copies.
        is_lake: whether the folder is the lake itself.
    """
    nearest = nearest_existing(folder)
    if not nearest.is_dir():
        elsewhere = "choose another --lake" if is_lake else "set TENKBENCH_CACHE to a folder"
        return [Finding("disk", "not ok", f"{nearest} is a file, not a folder", elsewhere)]
    usage = shutil.disk_usage(nearest)
    if usage.total == 0:  # such as /proc
        return [Finding("disk", "not ok", f"{nearest} is not on a disk", "choose another --lake")]
    found, mend = (
        f"{usage.free / 2**30:.1f} GiB free for the lake",
        "free some space, or choose another --lake",
    )
    if not is_lake:
        held = f"{folder} (TENKBENCH_CACHE) takes {_held(folder) / 2**30:.1f} GiB"
        found = f"{usage.free / 2**30:.1f} GiB free for working copies of the lake; {held}"
        mend = f"delete {folder} while nothing runs, or set TENKBENCH_CACHE to a larger disk"
    return [
        Finding("disk", "ok", found)
        if usage.free >= _LEAST_FREE
        else Finding("disk", "not ok", found, mend)
    ]


def _held(folder: Path) -> int:
    """Return the bytes of all files below a folder, if any."""
    n_bytes = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # deleted meanwhile
                n_bytes += Path(place, name).lstat().st_size
    return n_bytes


def nearest_existing(folder: Path) -> Path:
    """Return the folder or its closest existing parent."""
    return next(each for each in (folder.resolve(), *folder.resolve().parents) if each.exists())


def clock(urls: Iterable[str], contact: str | None = None) -> list[Finding]:
    """Compare the clock with the first server that tells the time.

    Args:
        urls: servers on other machines.
        contact: user agent of the requests.
    """
    for url in urls:
        try:
            date = ask(url, headers={"User-Agent": contact or "tenkbench"}).date
        except NoAnswer:
            continue
        if date is None:
            continue
        ahead_s = time.time() - parsedate_to_datetime(date).timestamp()
        host = urlsplit(url).hostname
        if abs(ahead_s) <= _MOST_SKEW_S:
            return [Finding("clock", "ok", f"agrees with {host}")]
        how = f"{abs(ahead_s):,.0f} s {'ahead of' if ahead_s > 0 else 'behind'} {host}"
        return [Finding("clock", "not ok", how, "sudo timedatectl set-ntp true")]
    return [Finding("clock", "not checked", "no server on another machine to compare with")]
