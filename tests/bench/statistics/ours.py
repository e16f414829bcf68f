"""The metrics of a lake by the warehouse.

`python tests/bench/statistics/ours.py PARTS.json OUT.parquet`

Two threads, from opening the warehouse to the table of metrics as it is written to disk.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.training_cutoffs import cutoffs_of

if __name__ == "__main__":
    parts = json.loads(Path(sys.argv[1]).read_text())
    cutoffs = cutoffs_of("dev", "failsafeqa", parts.pop("cutoffs"))
    with open_warehouse(parts, cutoffs=cutoffs) as warehouse:
        warehouse.execute("set threads = 2")
        warehouse.execute(f"copy (from failsafeqa.metrics) to '{sys.argv[2]}' (format parquet)")
