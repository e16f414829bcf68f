"""The metrics of a lake as `score` computes them.

`python tests/bench/statistics/ours.py PARTS.json OUT.parquet [pairs]`

Two threads, from opening the warehouse to the table of metrics as it is written to disk. With
`pairs`, all pairs of models are compared too.
"""

from __future__ import annotations

import json
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tasks.scoring.comparisons import comparisons_of
from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import models_of


class WithoutPandas(MetaPathFinder):
    """Hide pandas, which PyArrow imports if it can: tenkbench is installed without it."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


if __name__ == "__main__":
    sys.meta_path.insert(0, WithoutPandas())
    parts = json.loads(Path(sys.argv[1]).read_text())
    models = models_of("dev", "failsafeqa", {"cutoffs": parts.pop("cutoffs")})
    suite = load_suite("failsafeqa")
    with open_warehouse(parts, models=models) as warehouse:
        warehouse.execute("set threads = 2")
        made = {"options": {"beta": 0.5}}
        metrics = metrics_of(warehouse, suite, "dev", **made)
        columns = ("model", "judge", "metric", "slice", "n", "value", "low", "high")
        rows = {name: [getattr(metric, name) for metric in metrics] for name in columns}
        pq.write_table(pa.table(rows), sys.argv[2])
        if sys.argv[3:] == ["pairs"]:
            print(f"{len(comparisons_of(warehouse, suite, 'dev', metrics, **made)):,} comparisons")
