"""The road that a step's questions take to a model: engine, journal, record.

Every call of every step goes through here, whichever verb makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from time import time
from typing import TYPE_CHECKING, Any

from tasks.core.settings import RunSettings
from tasks.inference.batching import is_writing_batches, next_batch_file
from tasks.inference.cache.cached_engine import CachedEngine, Recorded
from tasks.inference.cache.response_cache import cache_of
from tasks.inference.engines import load_engine
from tasks.inference.operation import Operation
from tasks.lake.lake import Lake
from tasks.models.catalogue import find_model
from tasks.text.tokens import encoding

if TYPE_CHECKING:
    from tasks.inference.engines.extractive import Rules

# What `--retry-failed` takes for earlier failures: those from before this program.
_STARTED = time()


def open_engine(
    run: RunSettings,
    model_name: str,
    operations: Mapping[str, Operation[Any, Any]],
    part: str = "",
    *,
    rules: Rules | None = None,
) -> CachedEngine:
    """A model's engine with the lake's journal before it.

    Args:
        part: which part of a step's calls it will be asked, for progress.
        rules: how `extractive` answers the operations; see `tasks.pipeline.rules.rules_of`.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    model = find_model(model_name, run.models_file)
    # the tokens' table is read while the engine's client is imported: each takes some 0.2 s
    Thread(target=encoding, name="tokenizer", daemon=True).start()
    engine = load_engine(model, operations, run.workers, rules)
    if is_writing_batches() and engine.identity is not None:
        from tasks.inference.batch_files import BatchWriter

        engine = BatchWriter(model, cache_of(run.lake), next_batch_file(model.name))
    return CachedEngine(
        engine,
        cache_of(run.lake),
        primes=model.primes,
        fresh_since=_fresh_since(run) if run.fresh else None,
        failures_since=_STARTED if run.retry_failed else None,
        part=part,
    )


def open_recorded(
    run: RunSettings,
    model_name: str,
    operations: Mapping[str, Operation[Any, Any]],
    part: str = "",
    *,
    rules: Rules | None = None,
) -> Recorded:
    """The same, remembering the rows of the step that asks."""
    return Recorded(open_engine(run, model_name, operations, part, rules=rules))


# --- asking afresh -------------------------------------------------------------------------


@contextmanager
def freshness(run: RunSettings) -> Iterator[None]:
    """What `--fresh` buys in the block is bought once, also where the run is killed and started again.

    When it began stands in the lake until the outermost such block ends well.
    """
    global _fresh_blocks
    _fresh_blocks += 1
    try:
        yield
    finally:
        _fresh_blocks -= 1
    if run.fresh and not _fresh_blocks:
        Lake(run.lake).objects.delete([_fresh_key(run)])


_fresh_blocks = 0


def _fresh_key(run: RunSettings) -> str:
    return f"_ledger/fresh-{run.release}-{run.suite}"


def _fresh_since(run: RunSettings) -> float:
    """When the run, or the killed one that it goes on with, began to ask afresh."""
    objects = Lake(run.lake).objects
    objects.create(_fresh_key(run), str(time()).encode())
    return float(objects.read(_fresh_key(run)))
