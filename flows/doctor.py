"""What a newcomer gets wrong, checked one by one, each with the command that mends it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was found, and what to do when it is not right."""

    check: str
    ok: bool
    found: str
    mend: str


# The pins that a plain resolve gets wrong: Prefect's server fails with newer ones at run time only.
_PINS = {"prefect": ("3.8.8", "3.9"), "fastapi": ("0.139", "0.151"), "sqlalchemy": ("2.0", "2.1")}


def examine(lake: str) -> list[Finding]:
    """All checks, in the order in which a newcomer meets them."""
    return [_python(), *_pins(), _tokenizer(), _lake(Path(lake)), _disk(Path(lake)), prefect_api()]


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), found, "make clean && make run PYTHON=python3.11")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(piece) for piece in version.split(".")[:3] if piece.isdigit())


def _pins() -> Iterator[Finding]:
    for name, (lowest, below) in _PINS.items():
        found = metadata.version(name)
        ok = _numbers(lowest) <= _numbers(found) < _numbers(below)
        yield Finding(name, ok, found, "uv pip install -r requirements.lock")


def _tokenizer() -> Finding:
    from tasks.text.tokens import encoding

    tokens = encoding().encode_ordinary("hello world")
    return Finding(
        "tokenizer",
        tokens == [15339, 1917],
        f"cl100k_base, {encoding().n_vocab:,} tokens",
        "uv pip install -r requirements.lock",
    )


def _lake(lake: Path) -> Finding:
    nearest = next(folder for folder in (lake.resolve(), *lake.resolve().parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            return Finding("lake writable", True, str(lake.resolve()), "")
    except OSError as error:
        return Finding("lake writable", False, f"{lake.resolve()}: {error.strerror}", "choose another --lake")


def _disk(lake: Path) -> Finding:
    nearest = next(folder for folder in (lake.resolve(), *lake.resolve().parents) if folder.exists())
    usage = shutil.disk_usage(nearest)
    if usage.total == 0:  # such as /proc: no space to free there
        return Finding("disk", False, f"{nearest} is on no disk", "choose another --lake")
    free = usage.free
    return Finding(
        "disk", free > 2**30, f"{free / 2**30:.1f} GiB free", "free some space or choose another --lake"
    )


def prefect_api() -> Finding:
    """Whether the configured Prefect server answers; without one, each run starts its own."""
    from urllib.error import URLError
    from urllib.request import urlopen

    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return Finding("Prefect", True, "no PREFECT_API_URL: each run starts a temporary server", "")
    try:
        with urlopen(f"{url.rstrip('/')}/health", timeout=5) as reply:
            return Finding(
                "Prefect", reply.status == 200, f"{url} answers {reply.status}", "prefect server start"
            )
    except (URLError, TimeoutError, OSError) as error:
        return Finding("Prefect", False, f"{url}: {error}", "prefect server start, or unset PREFECT_API_URL")
