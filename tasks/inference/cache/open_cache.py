"""The journal of a lake: where it lies, and whether machines share it."""

from __future__ import annotations

from tasks.inference.cache.response_cache import Journal
from tasks.lake.lake import Lake

_journals: dict[str, Journal] = {}


def journal_of(lake: str) -> Journal:
    """The lake's journal; one per lake and program."""
    opened = Lake(lake)
    if opened.url not in _journals:
        is_shared = opened.url != str(opened.here)
        _journals[opened.url] = Journal(opened.journal, opened.objects if is_shared else None)
    return _journals[opened.url]


def kept_journal(lake: str) -> Journal | None:
    """The lake's journal where it has one; a look at it makes none.

    Raises:
        JournalError, LakeError: it cannot be looked for.
    """
    journal = journal_of(lake)
    return journal if journal.exists() else None
