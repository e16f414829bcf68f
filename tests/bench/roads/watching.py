"""Run a command and watch it: wall time from start to end, and peak memory of its whole tree.

Processor time is what the kernel counted for the process and for all children that it waited for.
Memory is sampled: the sum, over the process and all its descendants, of the proportional set size,
which counts a page that several processes share once. The most that one process alone had (VmHWM,
which the kernel keeps exactly) is the floor, so that a short peak of one process is not missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SAMPLE_S = 0.25


@dataclass(frozen=True, slots=True)
class Watched:
    """What a command took. `quarters_mb` is its sampled memory peak in each quarter of its time."""

    wall_s: float
    cpu_s: float
    machine_cpu_s: float  # of all that ran on the machine meanwhile, this included
    peak_mb: float
    quarters_mb: tuple[float, ...]
    processes: int
    exit_status: int


def run_watched(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: Path, timeout_s: float
) -> Watched:
    """Run to the end, at most `timeout_s` seconds; stdout and stderr go to a file.

    A command that takes longer is killed with its whole process group; its exit status is then -9.
    """
    samples, most, floor = [0], 0, 0  # in kB
    before, machine_before = resource.getrusage(resource.RUSAGE_CHILDREN), machine_cpu_s()
    with output.open("wb") as sink:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        while True:
            try:
                process.wait(_SAMPLE_S)
                break
            except subprocess.TimeoutExpired:
                pids = tree(process.pid)
                samples.append(sum(_kb(pid, "smaps_rollup", "Pss:") for pid in pids))
                floor = max([floor, *(_kb(pid, "status", "VmHWM:") for pid in pids)])
                most = max(most, len(pids))
            if time.monotonic() - start > timeout_s:
                os.killpg(process.pid, 9)
        wall_s = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    quarters = [samples[len(samples) * n // 4 : len(samples) * (n + 1) // 4] for n in range(4)]
    return Watched(
        wall_s=wall_s,
        cpu_s=cpu_s,
        machine_cpu_s=machine_cpu_s() - machine_before,
        peak_mb=max(*samples, floor) / 1000,
        quarters_mb=tuple(max(quarter, default=0) / 1000 for quarter in quarters),
        processes=most,
        exit_status=process.returncode,
    )


def tree(root: int) -> list[int]:
    """The ids of a process and of all that descend from it, as they are now."""
    children = defaultdict(list)
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended meanwhile
            children[int(stat.rpartition(")")[2].split()[1])].append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children[pid]
    return found


def machine_cpu_s() -> float:
    """Seconds that all cores together have worked since the machine started."""
    user, nice, system, _, _, interrupts, soft_interrupts, *_ = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + interrupts + soft_interrupts) / os.sysconf("SC_CLK_TCK")


def process_cpu_s(pid: int) -> float:
    """Seconds of processor time that one process has taken since it started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _kb(pid: int, file: str, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0  # it has ended meanwhile
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)
