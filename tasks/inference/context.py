"""What one run carries on its road to models: made by the flow or command that starts it, and passed down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import time

from tasks.core.budget import Purse
from tasks.core.settings import RunSettings
from tasks.lake.lake import Lake

# What `--retry-failed` takes for earlier failures: those from before this program.
_STARTED = time()


class RunContext:
    """The purse of a run, and how it takes kept answers.

    Args:
        run: its settings.
        batches: folder that its calls are written to instead of being sent; made if it is missing.
    """

    def __init__(self, run: RunSettings, batches: Path | None = None) -> None:
        self.purse = Purse(run.budget)
        self.failures_since = _STARTED if run.retry_failed else None
        self.batches = batches
        self._lake = run.lake
        self._fresh_key = f"_ledger/fresh-{run.release}-{run.suite}" if run.fresh else None
        if batches is not None:
            batches.mkdir(parents=True, exist_ok=True)

    def fresh_since(self) -> float | None:
        """When the run, or the killed one that it goes on with, began to ask afresh; None if it takes any answer.

        That time stands in the lake until the run ends well: what `--fresh` buys is bought once.
        """
        if self._fresh_key is None:
            return None
        objects = Lake(self._lake).objects
        objects.create(self._fresh_key, str(time()).encode())
        return float(objects.read(self._fresh_key))

    def next_batch_file(self, model_name: str) -> Path:
        """The first file name in `batches` that no batch to this model has."""
        assert self.batches is not None
        named = model_name.replace("/", "-")
        names = (self.batches / f"{named}-{number}.jsonl" for number in count(1))
        return next(file for file in names if not file.exists())

    def finish(self) -> None:
        """Note that the run has ended well."""
        if self._fresh_key is not None:
            Lake(self._lake).objects.delete([self._fresh_key])


_lock = threading.Lock()
_outermost: RunContext | None = None


@contextmanager
def running(run: RunSettings, batches: Path | None = None) -> Iterator[RunContext]:
    """The context of a run; a flow that another flow starts has the context of that one, and spends its budget."""
    global _outermost
    with _lock:
        is_outermost = _outermost is None
        context = _outermost = _outermost or RunContext(run, batches)
    try:
        yield context
    except BaseException:
        if is_outermost:
            _outermost = None
        raise
    if is_outermost:
        _outermost = None
        context.finish()
