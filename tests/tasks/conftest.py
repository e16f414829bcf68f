"""Journals of a test's own; real filings, read once."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.inference.cache.response_cache import ResponseCache


@pytest.fixture
def journal_path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "_ledger" / "journal.sqlite"


@pytest.fixture
def journal(journal_path: Path) -> Iterator[ResponseCache]:
    opened = ResponseCache(journal_path)
    yield opened
    opened.close()


@pytest.fixture
def opened(journal_path: Path) -> Iterator[Callable[[], ResponseCache]]:
    """Opens the journal, as often as processes would."""
    made: list[ResponseCache] = []

    def open_one() -> ResponseCache:
        made.append(ResponseCache(journal_path))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def real_filings(shared: Path) -> list[ParsedFiling]:
    """The shared filings as ingest reads them, by name of file."""
    found = (
        path
        for path in sorted((shared / "filings").iterdir())
        if path.suffix in (".htm", ".txt", ".gz")
    )
    return [
        parse_filing(
            gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes(),
            path.name,
        )
        for path in found
    ]
