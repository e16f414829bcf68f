"""How long the metrics of ten million judgements take, beside pandas computing the same.

`python tests/bench/metrics.py [rounds]`

24 models, 59,524 pairs of 19,842 filings, seven cases each: every metric and slice with its
interval; `with pairs` also compares all 276 pairs of models. All read the same Parquet files in
turn, each in its own process, ours on two threads; the best round counts. Our values must be those
of pandas, and the ends of intervals as close as two sets of draws can be. Exit status
1 if they do not, or if ours takes more than 15 s or pairs more than 10 s more.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import duckdb
from rich.console import Console

from tasks.models.catalogue import load_catalogue
from tests.bench.roads.watching import Watched, run_watched
from tests.bench.statistics.lake import N_JUDGEMENTS, N_MODELS, write_lake
from tests.simulated import PERTURBATIONS

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "ours": ("ours.py",),
    "with pairs": ("ours.py", "pairs"),
    "pandas": ("by_pandas.py",),
}
MOST_S, MOST_MORE_S = 15.0, 10.0


def main(rounds: int) -> int:
    """Measure and print; returns the exit status."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder)
        parts = write_lake(lake, sorted(load_catalogue())[:N_MODELS], list(PERTURBATIONS))
        stated = {name: model.cutoff for name, model in load_catalogue().items()}
        cutoffs = {name: str(day) for name, day in stated.items() if day is not None}
        (lake / "parts.json").write_text(json.dumps({**parts, "cutoffs": cutoffs}))
        runs: dict[str, list[Watched]] = {name: [] for name in PROGRAMS}
        for _ in range(rounds):
            for name in PROGRAMS:
                runs[name].append(run(name, lake))
        n_cells, furthest = compared(lake / "ours.parquet", lake / "pandas.parquet")
    console.print(
        f"{N_JUDGEMENTS:,} judgements, {n_cells:,} metrics with intervals, best of {rounds}:"
    )
    seconds = {}
    for name, watched in runs.items():
        best = min(watched, key=lambda run: run.wall_s)
        seconds[name] = best.wall_s
        busy = best.machine_cpu_s - best.cpu_s
        console.print(
            f"  {name:10} {best.wall_s:6.1f} s   {best.cpu_s:6.1f} s "
            f"of processors   {best.peak_mb / 1000:5.1f} GB   (others on this machine meanwhile: "
            f"{busy:.1f} s of processors)"
        )
    times = seconds["pandas"] / seconds["ours"]
    console.print(
        f"  pandas takes {times:.1f} times as long; "
        f"ends of intervals differ by {furthest:.0%} of their width at most"
    )
    more = seconds["with pairs"] - seconds["ours"]
    console.print(f"  all pairs of models take {more:.1f} s more")
    holds = seconds["ours"] <= MOST_S and more <= MOST_MORE_S
    limits = f"{MOST_S:.0f} s, or {MOST_MORE_S:.0f} s more"
    console.print("holds" if holds else f"[bold]misses[/bold] {limits}")
    return 0 if holds else 1


def run(name: str, lake: Path) -> Watched:
    """One process from its start to its end.

    Raises:
        RuntimeError: it failed; the message is what it wrote.
    """
    program, *arguments = PROGRAMS[name]
    command = [
        sys.executable,
        str(ROOT / "tests" / "bench" / "statistics" / program),
        str(lake / "parts.json"),
        str(lake / f"{name}.parquet"),
        *arguments,
    ]
    output = lake / f"{name}.txt"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    watched = run_watched(command, cwd=ROOT, env=environment, output=output, timeout_s=600)
    if watched.exit_status:
        raise RuntimeError(f"{name} failed:\n{output.read_text()[-2000:]}")
    return watched


def compared(ours: Path, pandas: Path) -> tuple[int, float]:
    """Count the metrics, and measure how far ends of intervals are apart, in interval widths.

    Raises:
        RuntimeError: metrics, counts or values differ, or ends are too far apart.
    """
    with duckdb.connect() as connection:
        n_cells, n_wrong, furthest = connection.execute(
            f"""select
                count(*),
                count(*) filter (where not coalesce(
                    ours.n = pandas.n and abs(ours.value - pandas.value) < 1e-9, false
                )),
                max(greatest(abs(ours.low - pandas.low), abs(ours.high - pandas.high))
                    / (pandas.high - pandas.low))
            from '{ours}' as ours
            full join '{pandas}' as pandas using (model, judge, metric, slice)"""
        ).fetchall()[0]
    # 1,000 replicates fix an end to a twentieth of the width, the furthest of thousands to a fourth
    if n_wrong or furthest > 0.3:
        raise RuntimeError(
            f"of {n_cells} metrics {n_wrong} differ "
            f"from pandas', or ends of intervals by {furthest:.0%}"
        )
    return n_cells, furthest


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2))
