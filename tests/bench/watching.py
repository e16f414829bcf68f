"""Run a command and watch it: wall time from start to end, and peak memory of its whole tree.

Processor time is what the kernel counted for the process and for all children that it waited for.
Memory is sampled: the sum, over the process and all its descendants, of the proportional set size,
which counts a page that several processes share once.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_SAMPLE_S = 0.25


@dataclass(frozen=True, slots=True)
class Watched:
    """What a command took."""

    wall_s: float
    cpu_s: float
    machine_cpu_s: float  # of all that ran on the machine meanwhile, this included
    peak_mb: float
    exit_status: int


def run_watched(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], output: Path, timeout_s: float
) -> Watched:
    """Run to the end, at most `timeout_s` seconds; stdout and stderr go to a file.

    A command that takes longer is killed with its whole process group; its exit status is then -9.
    """
    peak = 0
    cpu_before, machine_before = _children_cpu_s(), _machine_cpu_s()
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
        while process.poll() is None:
            peak = max(peak, _tree_bytes(process.pid))
            if time.monotonic() - start > timeout_s:
                os.killpg(process.pid, 9)
            time.sleep(_SAMPLE_S)
        wall_s = time.monotonic() - start
    return Watched(
        wall_s=wall_s,
        cpu_s=_children_cpu_s() - cpu_before,
        machine_cpu_s=_machine_cpu_s() - machine_before,
        peak_mb=peak / 1e6,
        exit_status=process.returncode,
    )


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _machine_cpu_s() -> float:
    """Return the seconds that all cores together have worked since the machine started."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def _tree_bytes(root: int) -> int:
    """Add up the memory of a process and of all that descend from it, as they are now."""
    n_bytes = 0
    with suppress(psutil.NoSuchProcess):
        for process in [psutil.Process(root), *psutil.Process(root).children(recursive=True)]:
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):  # it has ended meanwhile
                n_bytes += process.memory_full_info().pss
    return n_bytes
