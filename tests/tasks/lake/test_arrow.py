"""pyarrow as the lake uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import tasks.lake.lake
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""


def test_the_lake_reads_with_the_systems_allocator() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "system\n"
