"""A journal of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.journal import Journal


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "_ledger" / "journal.sqlite"


@pytest.fixture
def journal(journal_path: Path) -> Iterator[Journal]:
    opened = Journal(journal_path)
    yield opened
    opened.close()
