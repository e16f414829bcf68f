"""One file takes a bounded memory and costs only itself."""

from __future__ import annotations

import gzip
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.compute.workers import process_pool, spread
from tasks.core.rows import Reject
from tasks.filings.reader import filing as filing_module
from tasks.filings.reader import reading
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import (
    FilingSource,
    at_most,
    lost_filing,
    read_bounded,
    read_filing,
)
from tasks.filings.samples import sample_folder

SAMPLE = FilingSource(
    uri="tillamere.txt",
    data=(sample_folder() / "tillamere-1997.txt").read_bytes(),
    encoding="cl100k_base",
)
PEAK = Path("/proc/self/status")


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.skipif(not PEAK.exists(), reason="reads the peak memory from Linux's /proc")
def test_blank_lines_take_little_memory() -> None:
    n_bytes = 20_000_000
    padded = replace(SAMPLE, data=gzip.compress(SAMPLE.data + b"\n" * n_bytes))
    peak = process_pool(1).submit(_peak_of_reading, padded).result()
    assert peak < 16 * n_bytes


def test_a_filing_beyond_the_limit_of_characters_is_a_reject(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(read_bounded(SAMPLE), ParsedFiling)
    monkeypatch.setattr(filing_module, "LIMIT_CHARS", 10_000)
    assert getattr(read_bounded(SAMPLE), "reason", None) == "larger than the limit"


def test_a_file_that_needs_too_much_memory_is_a_reject(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object) -> None:
        bytearray(1 << 40)

    monkeypatch.setattr(reading, "parse_filing", greedy)
    rejected = read_bounded(SAMPLE)
    assert isinstance(rejected, Reject)
    assert (rejected.parent_id, rejected.reason) == ("tillamere.txt", "too much memory")


@pytest.mark.skipif(not PEAK.exists(), reason="only Linux bounds the memory")
def test_memory_is_bounded_for_the_work_alone() -> None:
    size = 500_000_000  # earlier tests may have left 100 MB free, which are no new memory
    with pytest.raises(MemoryError), at_most(50_000_000):
        bytearray(size)
    assert len(bytearray(size)) == size


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_ends_its_worker_costs_only_itself(workers: int) -> None:
    sources = [replace(SAMPLE, uri=f"{number}.txt") for number in range(9)]
    sources[4] = replace(SAMPLE, uri="deadly.txt")
    results = list(spread(_deadly, sources, workers, lost=lost_filing))
    rejected = results.pop(4)
    assert isinstance(rejected, Reject)
    assert (rejected.parent_id, rejected.reason) == ("deadly.txt", "not survived")
    assert results == [read_filing(each) for each in sources if each.uri != "deadly.txt"]


def _peak_of_reading(source: FilingSource) -> int:
    def peak() -> int:
        return int(PEAK.read_text().split("VmHWM:")[1].split()[0]) * 1024

    read_bounded(SAMPLE)
    before = peak()
    assert isinstance(read_bounded(source), ParsedFiling)
    return peak() - before


def _deadly(source: FilingSource) -> object:
    if source.uri == "deadly.txt":
        os.kill(os.getpid(), signal.SIGKILL)
    return read_filing(source)
