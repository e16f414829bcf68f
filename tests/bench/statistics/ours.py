"""The metrics of a lake by SQL's sums and tenkbench's own statistics.

`python tests/bench/statistics/ours.py PARTS.json OUT.parquet`

Two threads, from opening the warehouse to the table of metrics as it is written to disk.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.training_cutoffs import cutoffs_of

if __name__ == "__main__":
    parts = json.loads(Path(sys.argv[1]).read_text())
    cutoffs = cutoffs_of("dev", "failsafeqa", parts.pop("cutoffs"))
    with open_warehouse(parts, cutoffs=cutoffs) as warehouse:
        warehouse.execute("set threads = 2")
        metrics = metrics_of(
            warehouse, load_suite("failsafeqa"), "dev", options={"beta": 0.5}, score_id=""
        )
    columns = ("model", "judge", "metric", "slice", "n", "value", "low", "high")
    rows = {name: [getattr(metric, name) for metric in metrics] for name in columns}
    pq.write_table(pa.table(rows), sys.argv[2])
