"""What every process that imports `tasks` starts with, and without."""

from __future__ import annotations

import os
import subprocess
import sys


def test_numpy_starts_no_threads_in_a_process_of_ours() -> None:
    script = "import os, tasks, numpy; print(len(os.listdir('/proc/self/task')))"
    environment = {
        name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"
    }
    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "1"
