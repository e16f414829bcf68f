"""Budget, cache and options of one run, passed down to its clients."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tasks.core.budget import Purse
from tasks.inference.cache.response_cache import ResponseCache, cache_of
from tasks.inference.readings import Readings
from tasks.lake.lake import Lake

if TYPE_CHECKING:
    from tasks.inference.imported import Answers


class RunContext:
    """A run's purse and cache, and its use of kept answers.

    Args:
        budget: limit in US dollars; None: no limit.
        fresh_key: name of a run that asks everything afresh; None: use kept answers.
        retry_failed: whether to ask the failures again that were kept before this program began.
        answers: made elsewhere, by model and case; they replace what it has of these models.
    """

    def __init__(
        self,
        lake: Lake,
        *,
        budget: float | None = None,
        fresh_key: str | None = None,
        retry_failed: bool = False,
        answers: Answers | None = None,
    ) -> None:
        self.purse = Purse(budget)
        self._lake = lake
        self.failures_after = self.cache.latest_at_start if retry_failed else None
        self.answers = answers or {}
        self.readings = Readings()
        self._fresh_key = None if fresh_key is None else f"_ledger/fresh-after-{fresh_key}"
        self._fresh_after: int | None = None

    @cached_property
    def cache(self) -> ResponseCache:
        """The lake's response cache."""
        return cache_of(self._lake)

    def fresh_after(self) -> int | None:
        """Return the latest answer before this run, or the killed one that it continues."""
        if self._fresh_key is not None and self._fresh_after is None:
            self._lake.objects.create(self._fresh_key, str(self.cache.latest()).encode())
            self._fresh_after = int(self._lake.objects.read(self._fresh_key))
        return self._fresh_after

    def finish(self) -> None:
        """Record that the run has ended: the next one with `--fresh` asks anew."""
        if self._fresh_key is not None:
            self._lake.objects.delete([self._fresh_key])
