"""Journals of a test's own; real filings, read once; a Ray cluster, started once."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.inference.cache.response_cache import ResponseCache
from tests.once import started

N_GPUS = 4  # Ray only counts them
CLUSTER = """
import ray, sys
context = ray.init(
    address="local", num_cpus=2, num_gpus=int(sys.argv[1]), include_dashboard=False,
    log_to_driver=False,
)
print("cluster", context.address_info["address"], flush=True)
sys.stdin.read()
"""


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


@pytest.fixture(scope="session")
def ray_head() -> str:
    """The address of a cluster in a process of its own: programs come and go, it stays."""
    return started.enter_context(cluster())


@contextmanager
def cluster() -> Iterator[str]:
    """A cluster on this machine."""
    environment = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
    environment.pop("RAY_ADDRESS", None)
    line = ""
    for _ in range(3):  # Ray gives a node 30 s to start, which a busy machine may exceed
        head = subprocess.Popen(
            [sys.executable, "-c", CLUSTER, str(N_GPUS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert head.stdin is not None
        assert head.stdout is not None
        line = next((line for line in head.stdout if line.startswith("cluster ")), "")
        if line:
            break
    assert line, "Ray did not start"
    yield line.split()[1]
    head.stdin.close()
    head.wait()
    head.stdout.close()


@pytest.fixture(scope="module")
def ray_cluster(ray_head: str) -> Iterator[str]:
    """The same cluster, named in RAY_ADDRESS; this program leaves it after the module's tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_ADDRESS", ray_head)
        yield ray_head
        import ray

        from tasks.inference.engines.vllm import end_fleets

        end_fleets()
        ray.shutdown()
