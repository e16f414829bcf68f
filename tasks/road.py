"""The road that a step's questions take to a model: engine, journal, record.

Every call of every step goes through here, whichever verb makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import time
from typing import Any

from tasks.batch_files import BatchWriter
from tasks.batching import is_writing_batches, next_batch_file
from tasks.engines import load_engine
from tasks.journal import Journal
from tasks.ledger import Ledger, Recorded
from tasks.models import find_model
from tasks.operations import Operation
from tasks.settings import RunSettings
from tasks.store import Lake

# What `--fresh` takes for new: answers bought by this program.
_STARTED = time()

_journals: dict[Path, Journal] = {}


def open_ledger(run: RunSettings, model_name: str, operations: Mapping[str, Operation[Any, Any]]) -> Ledger:
    """A model's engine with the lake's journal before it.

    Raises:
        UnknownModel: no catalogue names the model.
    """
    model = find_model(model_name, run.models_file)
    engine = load_engine(model, operations, run.workers)
    if is_writing_batches() and engine.identity is not None:
        engine = BatchWriter(model, journal_of(run.lake), next_batch_file(model.name))
    return Ledger(
        engine,
        journal_of(run.lake),
        primes=model.primes,
        fresh_since=_STARTED if run.fresh else None,
    )


def open_recorded(
    run: RunSettings, model_name: str, operations: Mapping[str, Operation[Any, Any]]
) -> Recorded:
    """The same, remembering the rows of the step that asks."""
    return Recorded(open_ledger(run, model_name, operations))


def journal_of(lake: str) -> Journal:
    """The lake's journal; one per lake and program."""
    path = Lake(lake).root / "_ledger" / "journal.sqlite"
    if path not in _journals:
        _journals[path] = Journal(path)
    return _journals[path]


def kept_journal(lake: str) -> Journal | None:
    """The lake's journal where it has one; a look at it makes none."""
    return journal_of(lake) if (Lake(lake).root / "_ledger" / "journal.sqlite").exists() else None
