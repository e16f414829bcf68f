"""What one run carries on its road to models: made by the flow or command that starts it, and passed down."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import time

from tasks.core.budget import Purse
from tasks.inference.cache.response_cache import ResponseCache, cache_of
from tasks.lake.lake import Lake

# What `--retry-failed` takes for earlier failures: those from before this program.
_STARTED = time()


class RunContext:
    """The purse of a run, its response cache, and how it takes kept answers.

    Args:
        lake: folder or URL of the lake.
        budget: US dollars that its calls may cost; None for no limit.
        fresh_key: names a run that asks afresh; None takes kept answers.
        retry_failed: whether kept failures are asked again.
        workers: processes of an engine that computes here; one per core when not given.
        batches: folder that its calls are written to instead of being sent; made if it is missing.
    """

    def __init__(
        self,
        lake: str,
        *,
        budget: float | None = None,
        fresh_key: str | None = None,
        retry_failed: bool = False,
        workers: int | None = None,
        batches: Path | None = None,
    ) -> None:
        self.purse = Purse(budget)
        self.failures_since = _STARTED if retry_failed else None
        self.workers = workers
        self.batches = batches
        self._lake = lake
        self._fresh_key = None if fresh_key is None else f"_ledger/fresh-{fresh_key}"
        if batches is not None:
            batches.mkdir(parents=True, exist_ok=True)

    @property
    def cache(self) -> ResponseCache:
        """The lake's response cache."""
        return cache_of(self._lake)

    def fresh_since(self) -> float | None:
        """Return when the run, or the killed one that it continues, began to ask afresh; None if it did not.

        The lake keeps that time until the run ends well: what `--fresh` buys is bought once.
        """
        if self._fresh_key is None:
            return None
        objects = Lake(self._lake).objects
        objects.create(self._fresh_key, str(time()).encode())
        return float(objects.read(self._fresh_key))

    def next_batch_file(self, model_name: str) -> Path:
        """Return the first file name in `batches` that no batch to this model has."""
        assert self.batches is not None
        named = model_name.replace("/", "-")
        names = (self.batches / f"{named}-{number}.jsonl" for number in count(1))
        return next(file for file in names if not file.exists())

    def finish(self) -> None:
        """Note that the run has ended well."""
        if self._fresh_key is not None:
            Lake(self._lake).objects.delete([self._fresh_key])
