"""Check of this machine's disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from tasks.core.findings import Finding

_LEAST_FREE = 2**30  # bytes


def disk(folder: Path, *, is_lake: bool) -> list[Finding]:
    """Check the space for a lake or its working copies.

    Args:
        folder: existing or future folder of the lake or of its working copies.
        is_lake: whether the folder is the lake itself.
    """
    free = shutil.disk_usage(nearest_existing(folder)).free
    what, fix = "the lake", "free some space, or choose another --lake"
    if not is_lake:
        what = f"working copies of the lake in {folder} (TENKBENCH_CACHE)"
        fix = f"delete {folder} while nothing runs, or set TENKBENCH_CACHE to a larger disk"
    found = f"{free / 2**30:.1f} GiB free for {what}"
    if free >= _LEAST_FREE:
        return [Finding("disk", "ok", found)]
    return [Finding("disk", "not ok", found, fix)]


def nearest_existing(folder: Path) -> Path:
    """Return the folder or its closest existing parent."""
    return next(each for each in (folder.resolve(), *folder.resolve().parents) if each.exists())
