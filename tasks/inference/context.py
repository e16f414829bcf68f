"""Budget, cache and options of one run, passed down to its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.core.budget import Purse
from tasks.inference.cache.response_cache import ResponseCache, cache_of
from tasks.inference.readings import Readings
from tasks.lake.lake import Lake

if TYPE_CHECKING:
    from tasks.inference.imported import Answers

# By lake: the latest answer when this program first looked; `--retry-failed` asks the failures
# before it again.
_STARTED: dict[str, int] = {}


class RunContext:
    """A run's purse and cache, and its use of kept answers.

    Args:
        budget: limit in US dollars; None: no limit.
        fresh_key: name of a run that asks everything afresh; None: use kept answers.
        retry_failed: whether to ask kept failures again.
        answers: made elsewhere, by model and case; they replace what it has of these models.
    """

    def __init__(
        self,
        lake: str,
        *,
        budget: float | None = None,
        fresh_key: str | None = None,
        retry_failed: bool = False,
        answers: Answers | None = None,
    ) -> None:
        self.purse = Purse(budget)
        self.failures_after: int | None = None
        if retry_failed:
            self.failures_after = _STARTED.setdefault(lake, cache_of(lake).latest())
        self.answers = answers or {}
        self.readings = Readings()
        self._lake = lake
        self._fresh_key = None if fresh_key is None else f"_ledger/fresh-after-{fresh_key}"
        self._fresh_after: int | None = None

    @property
    def cache(self) -> ResponseCache:
        """The lake's response cache."""
        return cache_of(self._lake)

    def fresh_after(self) -> int | None:
        """Return the latest answer before this run, or the killed one that it continues."""
        if self._fresh_key is not None and self._fresh_after is None:
            objects = Lake(self._lake).objects
            objects.create(self._fresh_key, str(self.cache.latest()).encode())
            self._fresh_after = int(objects.read(self._fresh_key))
        return self._fresh_after

    def finish(self) -> None:
        """Record that the run has ended: the next one with `--fresh` asks anew."""
        if self._fresh_key is not None:
            Lake(self._lake).objects.delete([self._fresh_key])
