"""What resuming costs: a run of 1,540 requests of 100 kB whose answers are all there already.

`python tests/bench/resume.py`: builds a lake, has a local server answer every request once, and
then gives the same command again, three times each:

finished     every step is in the lake; `tenkbench run` has nothing to do
uncommitted  the answers are in the ledger, but the process was killed before their step's commit;
             the tasks alone, and the whole command `tenkbench infer`

sent     requests that the server received; must be 0. A group whose answers are kept is not primed
seconds  wall time, start of the program included: the median, and the longest
cpu      seconds of processor time of the program and its children, median; steady under other load
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

from rich import box
from rich.console import Console
from rich.table import Table

from tests.bench.roads.released import released_file
from tests.servers.serving import Server, serving
from tests.without_prefect import INFER

ROOT = Path(__file__).parents[2]
TIMES = 3
NEEDED_S = 3.0


def give(command: Sequence[str]) -> tuple[float, float]:
    """Give a command; its seconds of wall and of processor time."""
    started, cpu_before = time.monotonic(), _children_cpu_s()
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return time.monotonic() - started, _children_cpu_s() - cpu_before


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(
    server: Server, command: Sequence[str], before: Callable[[], None]
) -> tuple[list[tuple[float, float]], int]:
    """Seconds of each time, and how many requests were sent over all."""
    n_before = server.stats()["received"]
    seconds = []
    for _ in range(TIMES):
        before()
        seconds.append(give(command))
    return seconds, server.stats()["received"] - n_before


def main() -> None:
    """Build, answer once, resume, and show what that took."""
    console = Console()
    tenkbench = [sys.executable, "-m", "flows.cli.app"]
    with tempfile.TemporaryDirectory() as name, serving() as server:
        folder = Path(name)
        lake = str(folder / "lake")
        model = f"local@{server.url}"
        run = [
            *tenkbench,
            "run",
            "--lake",
            lake,
            "--dataset",
            str(released_file(folder)),
            "--model",
            model,
        ]
        first, _ = give(run)
        n_sent = server.stats()["received"]
        console.print(
            f"once: {n_sent:,} requests, {first:.1f} s with building and judging; "
            f"load {os.getloadavg()[0]:.1f}"
        )
        answers = folder / "lake" / "_commits" / "release=dev" / "failsafeqa.infer.local.json"
        table = Table(box=box.SIMPLE)
        for heading in (
            "resumed",
            "sent",
            "seconds",
            "longest",
            "cpu",
            f"at most {NEEDED_S:.0f} s",
        ):
            table.add_column(heading, justify="left" if heading == "resumed" else "right")
        for what, command, before in (
            ("finished", run, lambda: None),
            (
                "uncommitted, without Prefect",
                [sys.executable, "-c", INFER, lake, model],
                answers.unlink,
            ),
            (
                "uncommitted, tenkbench infer",
                [*tenkbench, "infer", "--lake", lake, "--model", model],
                answers.unlink,
            ),
        ):
            measured, n_again = measure(server, command, before)
            seconds, cpu = zip(*measured, strict=True)
            median = statistics.median(seconds)
            met = "yes" if median <= NEEDED_S else "no"
            shown = [f"{value:.2f}" for value in (median, max(seconds), statistics.median(cpu))]
            table.add_row(what, f"{n_again:,}", *shown, met)
        console.print(table)


if __name__ == "__main__":
    main()
