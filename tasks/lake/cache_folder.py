"""The local folder for files that we can make again: copies of S3 objects, prepared databases."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return `TENKBENCH_CACHE`, or `tenkbench` in the user's cache folder; it may not exist yet."""
    named = os.environ.get("TENKBENCH_CACHE")
    if named:
        return Path(named).expanduser().resolve()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenkbench"
