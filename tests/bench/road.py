"""How fast the road to a model is, beside lm-evaluation-harness, inspect_ai and Ray Data.

`python -m tests.bench.road [contender ...]`: 1,540 distinct prompts of 100 kB, 64 in flight, to one
local server that takes 200 ms for each, checkpoints on; one contender after the other, each in its
own process; also our whole command, with primers. Then ours alone with ten times as many prompts:
its rate must hold, and its memory is shown.

wall       seconds from the process's start to its end
cpu        seconds of processor time of the process and its children; steady under other load
steady     answers a second: slope of the least-squares line through the server's answers, over
           (time, count), from the answer at 10 % to the one at 90 %; a line, because answers
           come in waves of 64 and two single points could each lie anywhere in a wave
all        answers a second from the first request that the server gets to its last answer
of ideal   steady as a share of 308/s: 1,540 answers in 25 waves of 200 ms
peak       most memory of the process and its children (tests/bench/roads/watching.py)

others     how many cores, on average, something else on the machine kept busy meanwhile

Exit status 1 if an aim is missed, or a contender failed or sent other prompts. What the server
received shows what each one sent. What else the machine does falls on
whoever runs then: figures with more than a tenth of a core in the last column say little.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from tests.bench.roads.contenders import (
    CONNECTIONS,
    ROOT,
    Contender,
    Start,
    compile_all,
    contenders,
    environment,
)
from tests.bench.roads.released import released_file
from tests.bench.roads.watching import Watched, process_cpu_s, run_watched
from tests.bench.roads.workload import Workload, make_workload
from tests.servers.serving import serving
from tests.without_prefect import BUILD

N_PROMPTS = 1_540
DELAY_MS = 200
IDEAL_PER_S = N_PROMPTS / (math.ceil(N_PROMPTS / CONNECTIONS) * DELAY_MS / 1000)
TIMEOUT_S = 900

# contender -> (how many times our wall time, how many times our peak memory) it must take at least
NEEDED = {"lm-eval": (2.5, 3.0), "inspect_ai": (5.0, None), "Ray Data": (8.0, None)}
NEEDED_STEADY = 0.95
COMMAND = "tenkbench infer"
COMMAND_WITHIN_S = 9.5


@dataclass(frozen=True, slots=True)
class Measured:
    """One contender's run."""

    name: str
    version: str
    others: float
    watched: Watched
    n_answered: int
    max_in_flight: int
    steady_per_s: float
    all_per_s: float
    prompts: frozenset[str]
    last_words: str

    @property
    def failure(self) -> str | None:
        if self.watched.exit_status:
            return f"{self.name} ended with status {self.watched.exit_status}: {self.last_words}"
        return None


def measure(contender: Contender, workload: Workload, folder: Path) -> Measured:
    """Run one contender against a server of its own."""
    folder.mkdir()
    with serving(delay_ms=DELAY_MS, log=folder / "server.log") as server:
        start = contender.start(workload, server.url, folder)
        server_cpu_s = process_cpu_s(server.process.pid)
        watched = run_watched(
            start.command,
            cwd=folder,
            env=environment(start),
            output=folder / "output.txt",
            timeout_s=TIMEOUT_S,
        )
        server_cpu_s = process_cpu_s(server.process.pid) - server_cpu_s
        stats = server.stats()
        log = server.log()
    received = [event["at"] for event in log if event["event"] == "received"]
    answered = sorted(event["at"] for event in log if event["event"] == "answered")
    span_s = answered[-1] - received[0] if answered else math.nan
    words = (folder / "output.txt").read_text(errors="replace").strip().splitlines()
    return Measured(
        name=contender.name,
        version=contender.version,
        others=max(0.0, watched.machine_cpu_s - watched.cpu_s - server_cpu_s) / watched.wall_s,
        watched=watched,
        n_answered=len(answered),
        max_in_flight=stats["max_in_flight"],
        steady_per_s=slope(answered[len(answered) // 10 : len(answered) * 9 // 10]),
        all_per_s=len(answered) / span_s,
        prompts=frozenset(event["prompt"] for event in log),
        last_words=words[-1] if words else "it said nothing",
    )


def slope(times: Sequence[float]) -> float:
    """Events a second: the least-squares line's slope through (time, count)."""
    n = len(times)
    if n < 2:
        return math.nan
    mean_time, mean_count = sum(times) / n, (n - 1) / 2
    over = sum((time - mean_time) * (count - mean_count) for count, time in enumerate(times))
    under = sum((time - mean_time) ** 2 for time in times)
    return over / under


def table_of(measured: Sequence[Measured]) -> Table:
    """One line a contender, with ratios to ours."""
    mine = measured[0]
    table = Table(
        title=(
            f"{N_PROMPTS:,} prompts of 100 kB, {CONNECTIONS} in flight, server takes {DELAY_MS} ms"
        ),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    headings = (
        "contender version wall_s x_ours cpu_s steady/s of_ideal "
        "all/s at_once peak_MB x_ours procs others"
    )
    for heading in headings.split():
        table.add_column(heading.replace("_", " "), justify="right", no_wrap=True)
    for one in measured:
        table.add_row(
            one.name,
            one.version,
            f"{one.watched.wall_s:.1f}",
            f"{one.watched.wall_s / mine.watched.wall_s:.1f}",
            f"{one.watched.cpu_s:.1f}",
            f"{one.steady_per_s:.0f}",
            f"{one.steady_per_s / IDEAL_PER_S:.0%}",
            f"{one.all_per_s:.0f}",
            str(one.max_in_flight),
            f"{one.watched.peak_mb:.0f}",
            f"{one.watched.peak_mb / mine.watched.peak_mb:.1f}",
            str(one.watched.processes),
            f"{one.others:.2f}",
        )
    return table


def verdicts(measured: Sequence[Measured]) -> list[str]:
    """What was needed, and what was seen."""
    mine, *others = measured
    share = mine.steady_per_s / IDEAL_PER_S
    lines = [
        verdict(
            f"steady rate: {share:.1%} of the ideal", share, NEEDED_STEADY, f"{NEEDED_STEADY:.0%}"
        )
    ]
    for other in others:
        wall, memory = NEEDED.get(other.name, (None, None))
        if wall is not None:
            ratio = other.watched.wall_s / mine.watched.wall_s
            lines.append(
                verdict(f"{other.name}: {ratio:.1f} times our wall time", ratio, wall, f"{wall}")
            )
        if memory is not None:
            ratio = other.watched.peak_mb / mine.watched.peak_mb
            lines.append(
                verdict(f"{other.name}: {ratio:.1f} times our memory", ratio, memory, f"{memory}")
            )
        if other.name == COMMAND:
            wall_s, n_primers = other.watched.wall_s, other.n_answered - N_PROMPTS
            kept = "met   " if wall_s <= COMMAND_WITHIN_S else "MISSED"
            lines.append(
                f"{kept} {COMMAND}: {wall_s:.1f} s with {n_primers:,} primers "
                f"(needed: {COMMAND_WITHIN_S})"
            )
        elif other.prompts != mine.prompts:
            lines.append(f"NOT COMPARABLE: {other.name} sent other prompts than ours")
    return lines + [one.failure for one in measured if one.failure is not None]


def verdict(said: str, seen: float, needed: float, shown: str) -> str:
    return f"{'met   ' if seen >= needed else 'MISSED'} {said} (needed: {shown})"


def whole_command(folder: Path) -> Contender:
    """Run `tenkbench infer` on 220 contexts of 100 kB, seven cases each, with primers."""
    lake = str(folder / "lake")
    build = [sys.executable, "-c", BUILD, lake, str(released_file(folder))]
    subprocess.run(build, check=True, cwd=ROOT)

    def start(_: Workload, url: str, __: Path) -> Start:
        command = [
            sys.executable,
            "-m",
            "flows.cli.app",
            "infer",
            "--lake",
            lake,
            "--model",
            f"local@{url}",
        ]
        return Start(command, {"PYTHONPATH": str(ROOT)})

    return Contender(COMMAND, version("tenkbench"), start)


def main(names: Sequence[str]) -> int:
    """Measure and print; with names only those, and ours. Return the exit status."""
    console = Console(width=120)
    compile_all()
    chosen = [one for one in contenders() if not names or one.name in (*names, "ours")]
    with tempfile.TemporaryDirectory(prefix="tenkbench-road-") as scratch:
        folder = Path(scratch)
        workload = make_workload(folder / "workload", N_PROMPTS, rendered=True)
        measured = []
        folder.joinpath(COMMAND).mkdir()
        if not names or COMMAND in names:
            chosen.insert(1, whole_command(folder / COMMAND))
        for contender in chosen:
            console.print(f"{contender.name} ...")
            measured.append(measure(contender, workload, folder / f"{contender.name}, run"))
        console.print(table_of(measured))
        lines = verdicts(measured)
        console.print("\n".join(lines), highlight=False)
        missed = not all(line.startswith("met ") for line in lines)
        if names and "ours" not in names:
            return int(missed)
        console.print(f"ours with {10 * N_PROMPTS:,} prompts ...")
        many = make_workload(folder / "many", 10 * N_PROMPTS, rendered=False)
        ten_times = measure(chosen[0], many, folder / "ours, ten times")
    grown = ten_times.watched.peak_mb / measured[0].watched.peak_mb
    console.print(
        f"{10 * N_PROMPTS:,} prompts: "
        f"{ten_times.n_answered:,} answered in {ten_times.watched.wall_s:.1f} s, "
        f"steady {ten_times.steady_per_s:.0f}/s, peak {ten_times.watched.peak_mb:.0f} MB, "
        f"{grown:.2f} times that of {N_PROMPTS:,}; in the quarters "
        f"of its time {', '.join(f'{peak:.0f}' for peak in ten_times.watched.quarters_mb)} MB",
        highlight=False,
    )
    lines = verdicts([ten_times])
    console.print("\n".join(lines), highlight=False)
    return int(missed or not all(line.startswith("met ") for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
