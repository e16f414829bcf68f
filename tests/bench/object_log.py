"""What the ledger of a lake in S3 costs, with storage in memory that takes 30 ms for every request.

`python tests/bench/object_log.py`: keeps answers of 1.5 kB as 64 calls in flight do, each as it
comes. Then opens a log of 36,960 answers on a machine without a copy, and on one with a copy.

kept/s    durable answers per second, at so long a call; of what would be possible if keeping took
          no time
longest   seconds that any answer waited to be durable
objects   that the answers came to
open      seconds until a machine can look for answers; with how many requests to the storage
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

from rich import box
from rich.console import Console
from rich.table import Table

from tasks.inference.cache.response_cache import ResponseCache
from tests.journals import adding, answered, saying
from tests.objects_in_memory import ObjectsInMemory

LATENCY_S = 0.03
IN_FLIGHT = 64
N_KEPT = 3_000
N_ANSWERS = 36_960
WORDS = [f"{chr(97 + number % 26)}{number:x}" for number in range(4_000)]


def text(number: int) -> str:
    """An answer of some 1.5 kB, of which half is left when it is packed."""
    return " ".join(random.Random(number).choices(WORDS, k=330))


def keep(journal: ResponseCache, call_s: float, n_calls: int) -> tuple[float, float]:
    """Seconds that all calls took, and the longest that an answer waited."""
    numbers = iter(range(n_calls))
    longest = 0.0

    async def slot() -> None:
        nonlocal longest
        for number in numbers:
            await asyncio.sleep(call_s)
            came = time.monotonic()
            await adding(journal, f"{number:064x}", saying(text(number)))
            longest = max(longest, time.monotonic() - came)

    async def all_slots() -> None:
        await asyncio.gather(*(slot() for _ in range(IN_FLIGHT)))

    started = time.monotonic()
    asyncio.run(all_slots())
    return time.monotonic() - started, longest


def main() -> None:
    kept = Table(title=f"Keeping, {IN_FLIGHT} calls in flight", box=box.SIMPLE)
    for column in ("a call takes", "kept/s", "of possible", "longest", "objects"):
        kept.add_column(column, justify="right")
    opened = Table(title=f"Opening {N_ANSWERS:,} answers", box=box.SIMPLE)
    for column in (
        "answers an object",
        "objects",
        "MB read",
        "open anew",
        "requests",
        "open again",
    ):
        opened.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        for call_s in (0.0, 0.2, 2.0):
            storage = ObjectsInMemory(latency_s=LATENCY_S)
            journal = ResponseCache(Path(folder, f"keeping-{call_s}", "journal.sqlite"), storage)
            journal.prepare()
            n_calls = min(N_KEPT, 320 if call_s > 1 else N_KEPT)
            took_s, longest = keep(journal, call_s, n_calls)
            journal.close()
            share = f"{n_calls / took_s / (IN_FLIGHT / call_s):.0%}" if call_s else "-"
            n_objects = len(storage.contents)
            kept.add_row(
                f"{call_s:g} s",
                f"{n_calls / took_s:,.0f}",
                share,
                f"{longest:.2f} s",
                f"{n_objects:,}",
            )
        for size in (8, 32):
            opened.add_row(*opening(Path(folder, f"opening-{size}"), size))
    Console(width=110).print(kept, opened)


def opening(folder: Path, size: int) -> list[str]:
    """One row: a log whose objects hold so many answers each."""
    storage = ObjectsInMemory()
    journal = ResponseCache(folder / "writes" / "journal.sqlite", storage)
    for first in range(0, N_ANSWERS, size):
        records = (
            answered(f"{number:064x}", saying(text(number)))
            for number in range(first, min(N_ANSWERS, first + size))
        )
        journal.store(*records).result()
    journal.close()
    storage.latency_s = LATENCY_S
    storage.requests.clear()
    seconds = []
    for _ in range(2):
        reads = ResponseCache(folder / "reads" / "journal.sqlite", storage)
        started = time.monotonic()
        assert len(reads.find([f"{number:064x}" for number in range(N_ANSWERS)])) == N_ANSWERS
        seconds.append(time.monotonic() - started)
        if len(seconds) == 1:
            n_requests = storage.requests.total()
        reads.close()
    n_objects = len(storage.contents)
    n_bytes = sum(len(content) for content in storage.contents.values())
    return [
        str(size),
        f"{n_objects:,}",
        f"{n_bytes / 1e6:.1f}",
        f"{seconds[0]:.1f} s",
        str(n_requests),
        f"{seconds[1]:.1f} s",
    ]


if __name__ == "__main__":
    main()
