"""What a server's faults cost: our road with 1 % of 429 and 0.1 % of reset connections beside a clean run.

`python tests/bench/faults.py [PAIRS]`: 1,540 prompts of 100 kB, 64 in flight, to a local server that takes 200 ms
for each, checkpoints on; a clean run and one with faults in turn, each a process of its own. Which calls meet a
fault is drawn from their prompts and attempts, with another seed for each pair.

wall    seconds from the process's start to its end
road    seconds from the first request that the server gets to its last answer: without the start, which has no faults
ratio   of each pair, with faults to clean; what is needed (at most 1.1) must hold for the median of `road`
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a file, its folder is all that would be found

from rich import box
from rich.console import Console
from rich.table import Table

from tests.bench.roads.contenders import CONNECTIONS, environment, ours
from tests.bench.roads.watching import run_watched
from tests.bench.roads.workload import Workload, make_workload
from tests.servers.serving import Fault, serving

N_PROMPTS = 1_540
DELAY_MS = 200
N_PAIRS = 5
MOST_RATIO = 1.1
TIMEOUT_S = 300
FAULTS: list[Fault] = [{"kind": "429", "share": 0.01}, {"kind": "reset", "share": 0.001}]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of our road."""

    wall_s: float
    road_s: float
    n_requests: int
    by_fault: Counter[str]
    failure: str | None


def measure(workload: Workload, folder: Path, faults: list[Fault]) -> Run:
    """Run our road against a server of its own.

    `failure` says what is wrong with a run that did not answer everything, or asked more often than faults explain.
    """
    folder.mkdir()
    with serving(delay_ms=DELAY_MS, log=folder / "server.log", faults=faults) as server:
        start = ours(workload, server.url, folder)
        output = folder / "output.txt"
        watched = run_watched(
            start.command, cwd=folder, env=environment(start), output=output, timeout_s=TIMEOUT_S
        )
        stats, log = server.stats(), server.log()
    received = [event["at"] for event in log if event["event"] == "received"]
    answered = [event["at"] for event in log if event["event"] == "answered"]
    by_fault = Counter(stats["by_fault"])
    said = output.read_text(errors="replace").strip().splitlines()
    return Run(
        wall_s=watched.wall_s,
        road_s=answered[-1] - received[0] if answered else math.nan,
        n_requests=len(received),
        by_fault=by_fault,
        failure=_failure(watched.exit_status, said, len(received) - by_fault.total()),
    )


def _failure(exit_status: int, said: list[str], n_good: int) -> str | None:
    if exit_status:
        return f"ended with status {exit_status}: {said[-1] if said else 'it said nothing'}"
    told = json.loads(said[-1])
    if told != {"answered": N_PROMPTS, "failed": 0}:
        return f"not everything was answered: {told}"
    return None if n_good == N_PROMPTS else f"{n_good} good answers to {N_PROMPTS} calls"


def shifted(faults: list[Fault], pair: int) -> list[Fault]:
    """The same faults for other calls: a rule's place in the list is part of the draw."""
    return [{"kind": "500", "share": 0.0}] * pair + faults


def main(n_pairs: int) -> int:
    """Measure and print; the exit status is 1 where what is needed was missed."""
    console = Console(width=120)
    table = Table(
        title=f"{N_PROMPTS:,} prompts of 100 kB, {CONNECTIONS} in flight, {DELAY_MS} ms; 1 % of 429, 0.1 % of resets",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("pair", "clean wall s", "road s", "faulty wall s", "road s", "429", "resets", "requests",
                    "ratio of wall", "of road", "load"):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    ratios, walls, failures = [], [], []
    with tempfile.TemporaryDirectory(prefix="tenkbench-faults-") as scratch:
        folder = Path(scratch)
        workload = make_workload(folder / "workload", N_PROMPTS, rendered=False)
        for pair in range(n_pairs):
            runs = {}
            load = os.getloadavg()[0]
            order = ("clean", "faulty") if pair % 2 == 0 else ("faulty", "clean")
            for name in order:
                faults = shifted(FAULTS, pair) if name == "faulty" else []
                runs[name] = measure(workload, folder / f"{pair}-{name}", faults)
                if (failure := runs[name].failure) is not None:
                    failures.append(f"FAILED pair {pair + 1}, {name}: {failure}")
            clean, faulty = runs["clean"], runs["faulty"]
            ratios.append(faulty.road_s / clean.road_s)
            walls.append(faulty.wall_s / clean.wall_s)
            table.add_row(
                str(pair + 1),
                f"{clean.wall_s:.2f}",
                f"{clean.road_s:.2f}",
                f"{faulty.wall_s:.2f}",
                f"{faulty.road_s:.2f}",
                str(faulty.by_fault["429"]),
                str(faulty.by_fault["reset"]),
                f"{faulty.n_requests:,}",
                f"{walls[-1]:.3f}",
                f"{ratios[-1]:.3f}",
                f"{load:.1f}",
            )
    console.print(table)
    ratio = statistics.median(ratios)
    mark = "met   " if ratio <= MOST_RATIO else "MISSED"
    console.print(
        f"{mark} {ratio:.3f} times the clean run's time on the road (needed: at most {MOST_RATIO}); of wall time with the "
        f"start {statistics.median(walls):.3f}; medians of {n_pairs} pairs",
        *failures,
        sep="\n",
        highlight=False,
    )
    return 1 if failures or ratio > MOST_RATIO else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else N_PAIRS))
