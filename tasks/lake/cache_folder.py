"""The folder of this machine for what can be made again: copies of what lies in S3, prepared databases."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """`TENKBENCH_CACHE`, else `tenkbench` in the user's cache folder. It may not be there yet."""
    named = os.environ.get("TENKBENCH_CACHE")
    if named:
        return Path(named).expanduser().resolve()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenkbench"
