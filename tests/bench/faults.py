"""The cost of a slightly ill server: 1 % of 429 and 0.1 % of resets, beside a clean run.

`python tests/bench/faults.py`: 1,540 calls of 100 kB in 220 groups, primed and journaled, 64 in
flight, to a local server that takes 200 ms for each. Clean and ill alternate, five times each, each
with its own journal. Which calls meet a fault differs from run to run.

wall     seconds from the first group's opening to the last answer in the journal
met      requests that the server failed: 429s and resets
resent   attempts beyond the first
lost     calls without an answer; must be 0

The ratio of the medians must be at most 1.1.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

from rich import box
from rich.console import Console
from rich.table import Table

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.operation import Call
from tasks.models.catalogue import Model, find_model
from tests.calls import collect, group_of
from tests.servers.serving import Server, serving

N_GROUPS, N_CALLS = 220, 7
TIMES = 5
DELAY_MS = 200
ILL = [{"kind": "429", "share": 0.01}, {"kind": "reset", "share": 0.001}]
MOST = 1.1


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    what: str
    wall_s: float
    met: int
    resent: int
    lost: int


def make_calls(row: Model) -> list[Call]:
    """The calls, rendered before the clock runs."""
    document = "Net sales rose in every segment but one. " * 2_440  # 100 kB
    return [
        call
        for number in range(N_GROUPS)
        for call in group_of(f"{number}. {document}", N_CALLS, row)
    ]


def measured(
    what: str, server: Server, row: Model, calls: list[Call], folder: Path, turn: int
) -> Measured:
    """Have the calls answered once."""
    server.set_faults(ILL if what == "ill" else [])
    journal = ResponseCache(folder / f"{what}-{turn}.sqlite")
    journal.prepare()
    before = server.stats()["by_fault"]
    started = time.perf_counter()
    ledger = Client(load_engine(row, {}), journal, primes=row.primes)
    responses = asyncio.run(collect(ledger, calls))
    wall_s = time.perf_counter() - started
    journal.close()
    met = sum(server.stats()["by_fault"].values()) - sum(before.values())
    return Measured(
        what,
        wall_s,
        met,
        sum(response.attempts - 1 for response in responses.values()),
        sum(response.status != "ok" for response in responses.values()),
    )


def main() -> int:
    """Measure, print, and fail where a figure is not what it must be."""
    runs: list[Measured] = []
    with serving(delay_ms=DELAY_MS) as server, tempfile.TemporaryDirectory() as folder:
        row = find_model(f"local@{server.url}")
        calls = make_calls(row)
        measured("warm-up", server, row, calls, Path(folder), 0)
        for turn in range(TIMES):
            order = ("clean", "ill") if turn % 2 == 0 else ("ill", "clean")
            runs += [measured(what, server, row, calls, Path(folder), turn) for what in order]
    table = Table(
        "", "wall", "met", "resent", "lost", box=box.SIMPLE, title="1 % of 429, 0.1 % of resets"
    )
    medians = {}
    for what in ("clean", "ill"):
        those = [run for run in runs if run.what == what]
        medians[what] = statistics.median(run.wall_s for run in those)
        for run in those:
            table.add_row(what, f"{run.wall_s:.2f} s", str(run.met), str(run.resent), str(run.lost))
        table.add_row(f"{what}, median", f"{medians[what]:.2f} s", "", "", "")
    ratio = medians["ill"] / medians["clean"]
    is_good = ratio <= MOST and not any(run.lost for run in runs)
    Console().print(table)
    print(
        f"ill / clean: {ratio:.3f} (at most {MOST}); {'as needed' if is_good else 'NOT as needed'}"
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
