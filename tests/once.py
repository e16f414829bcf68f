"""Things that a test run, or the files on one worker, need once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from filelock import FileLock

# Servers of the files that share a worker; `tests/conftest.py` ends them after the last of these.
started = ExitStack()


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """Return a folder that the first worker makes; the others wait, and nobody changes it.

    Args:
        name: the folder's.
        make: fills it. Where it fails, whoever asks next tries again.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    is_made = folder.with_suffix(".made")
    with FileLock(folder.with_suffix(".lock")):
        if not is_made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            is_made.touch()
    return folder
