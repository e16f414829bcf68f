"""Journals of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.journal import Journal


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "_ledger" / "journal.sqlite"


@pytest.fixture
def journal(journal_path: Path) -> Iterator[Journal]:
    opened = Journal(journal_path)
    yield opened
    opened.close()


@pytest.fixture
def opened(journal_path: Path) -> Iterator[Callable[[], Journal]]:
    """Opens the journal, as often as processes would."""
    made: list[Journal] = []

    def open_one() -> Journal:
        made.append(Journal(journal_path))
        return made[-1]

    yield open_one
    for one in made:
        one.close()
