"""How long the metrics of ten million judgements take.

`python -m tests.bench.metrics [rounds]`

24 models, 59,524 pairs of 19,842 filings, seven cases each: every metric and slice with its
interval; `with pairs` also compares all 276 pairs of models. Each runs in its own process on two
threads, from opening the warehouse to the table of metrics on disk; the best round counts. Exit
status 1 if metrics take more than 15 s or pairs more than 10 s more.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from tasks.models.catalogue import load_catalogue
from tests.bench.judged_lake import N_JUDGEMENTS, N_MODELS, write_lake
from tests.bench.roads.watching import Watched, run_watched
from tests.simulated import PERTURBATIONS

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from tasks.scoring.comparisons import comparisons_of
from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import keep_rows, open_warehouse
from tasks.warehouse.judged_models import models_of

parts = json.loads(Path(sys.argv[1]).read_text())
models = models_of("dev", "failsafeqa", {"cutoffs": parts.pop("cutoffs")})
suite, made = load_suite("failsafeqa"), {"options": {"beta": 0.5}}
with open_warehouse(parts, models=models) as warehouse:
    warehouse.execute("set threads = 2")
    keep_rows(warehouse, "staging.sums")
    metrics = metrics_of(warehouse, suite, "dev", **made)
    columns = ("model", "judge", "metric", "slice", "n", "value", "low", "high")
    rows = {name: [getattr(metric, name) for metric in metrics] for name in columns}
    pq.write_table(pa.table(rows), sys.argv[2])
    if sys.argv[3:] == ["pairs"]:
        comparisons_of(warehouse, suite, "dev", **made)
"""
PROGRAMS: dict[str, tuple[str, ...]] = {"metrics": (), "with pairs": ("pairs",)}
MOST_S, MOST_MORE_S = 15.0, 10.0


def main(rounds: int) -> int:
    """Measure and print; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder)
        parts = write_lake(lake, sorted(load_catalogue())[:N_MODELS], list(PERTURBATIONS))
        stated = {name: model.cutoff for name, model in load_catalogue().items()}
        cutoffs = {name: str(day) for name, day in stated.items() if day is not None}
        (lake / "parts.json").write_text(json.dumps({**parts, "cutoffs": cutoffs}))
        runs = [{name: run(name, lake) for name in PROGRAMS} for _ in range(rounds)]
    print(f"{N_JUDGEMENTS:,} judgements, best of {rounds}:")
    seconds = {}
    for name in PROGRAMS:
        best = min((each[name] for each in runs), key=lambda watched: watched.wall_s)
        seconds[name] = best.wall_s
        print(
            f"  {name:10} {best.wall_s:6.1f} s   {best.cpu_s:6.1f} s of processors   "
            f"{best.peak_mb / 1000:5.1f} GB   (others on this machine meanwhile: "
            f"{best.machine_cpu_s - best.cpu_s:.1f} s of processors)"
        )
    more = seconds["with pairs"] - seconds["metrics"]
    holds = seconds["metrics"] <= MOST_S and more <= MOST_MORE_S
    print("holds" if holds else f"misses {MOST_S:.0f} s, or {MOST_MORE_S:.0f} s more")
    return 0 if holds else 1


def run(name: str, lake: Path) -> Watched:
    """Run one process from its start to its end.

    Raises:
        RuntimeError: it failed; the message is what it wrote.
    """
    output, table = lake / f"{name}.txt", lake / f"{name}.parquet"
    command = [sys.executable, "-c", PROGRAM, str(lake / "parts.json"), str(table), *PROGRAMS[name]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    watched = run_watched(command, cwd=ROOT, env=environment, output=output, timeout_s=600)
    if watched.exit_status:
        raise RuntimeError(f"{name} failed:\n{output.read_text()[-2000:]}")
    return watched


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2))
