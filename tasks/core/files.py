"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """Give a path to write to; it takes the target's place at the end, and goes on an error."""
    half_written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield half_written
        os.replace(half_written, target)
    finally:
        half_written.unlink(missing_ok=True)
