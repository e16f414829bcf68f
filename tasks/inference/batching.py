"""Whether calls are written to batch files in place of being sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

_folders: list[Path] = []


@contextmanager
def writing_batches(folder: Path) -> Iterator[None]:
    """Have the calls of the block written to files of this folder; it is made when missing."""
    folder.mkdir(parents=True, exist_ok=True)
    _folders.append(folder)
    try:
        yield
    finally:
        _folders.pop()


def is_writing_batches() -> bool:
    """Whether calls are written to files."""
    return bool(_folders)


def next_batch_file(model_name: str) -> Path:
    """The first file name of the folder that no batch to this model has."""
    named = model_name.replace("/", "-")
    names = (_folders[-1] / f"{named}-{number}.jsonl" for number in count(1))
    return next(file for file in names if not file.exists())
