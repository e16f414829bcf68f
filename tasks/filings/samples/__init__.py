"""Three small filings of invented companies, the input of a run that names none."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def sample_folder() -> Path:
    """Return the folder of the sample filings: one text, one HTML, one inline XBRL."""
    folder = files("tasks.filings.samples")
    if not isinstance(folder, Path):
        raise RuntimeError("the sample filings are inside an archive; install tenkbench unpacked")
    return folder
