"""What the order of requests is worth: prompt tokens that a vLLM replica finds in its cache.

`python tests/bench/prefix_order.py [--lake PATH] [--only log|paper|judging]`

No GPU and no model: requests go through a simulator of vLLM's scheduler and cache, which tests hold
equal to vLLM's own (tests/vllm, tests/scheduler). Three parts:

- log: the requests that a run really made, step by step, each on empty caches. `--lake` names
  the run's lake; without it a run is made, on the shared filings if they are there, else on the
  samples.
- paper: 220 contexts with seven requests each, on 8 replicas of an 8B and on 2 of a 72B.
- judging: 36,960 answers of 24 models, in one wave over all models or model by model.

*Found* is the share of prompt tokens that nobody computed (primers' work counted against it);
*bound* the most that any order could reach: each unique block computed once, on one replica.
*Imbalance* is the busiest replica over the mean, in tokens computed (prompt and output) unless it
says otherwise. Exit status 1 if a figure of paper or judging misses what issue 3 asks for.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.scheduler.client import LLAMA_8B, QWEN_72B, Hardware  # noqa: E402
from tests.bench.scheduler.orders import IN_FLIGHT, OPEN_SHARE, ORDERS, in_groups  # noqa: E402
from tests.bench.scheduler.paper import answering, judging  # noqa: E402
from tests.bench.scheduler.prompts import BLOCK, least_computed  # noqa: E402
from tests.bench.scheduler.replica import Replica  # noqa: E402
from tests.bench.scheduler.request_log import read_log  # noqa: E402

SHARED = Path(os.environ.get("TENKBENCH_SHARED", ROOT.parent / "shared"))

LEAST_SHARE = 0.99
MOST_IMBALANCE = 1.02
MOST_OF_BY_MODEL = 1 / 3
TYPICAL_ANSWER = 110  # tokens

console = Console(width=140)


def main() -> None:
    """Measure, print, and say whether what is needed was reached."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lake", type=Path)
    parser.add_argument("--only", choices=("log", "paper", "judging"))
    options = parser.parse_args()
    console.print(
        f"Simulated vLLM replicas: blocks of {BLOCK} tokens, {IN_FLIGHT} calls in flight at each, "
        f"prefixes of open groups at most {OPEN_SHARE:.0%} of the cache."
    )
    missed: list[str] = []
    if options.only in (None, "log"):
        with lake_of_a_run(options.lake) as lake:
            show_log(lake)
    if options.only in (None, "paper"):
        for hardware in (LLAMA_8B, QWEN_72B):
            missed += show_paper(hardware)
    if options.only in (None, "judging"):
        missed += show_judging(QWEN_72B)
    for line in missed:
        console.print(f"MISSED: {line}")
    sys.exit(1 if missed else 0)


@contextmanager
def lake_of_a_run(given: Path | None) -> Iterator[Path]:
    """Return the given lake, or that of a run made now by rules; any model's requests are these."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder) / "lake"
        command = [str(Path(sys.executable).with_name("tenkbench")), "run", f"--lake={lake}"]
        if (SHARED / "filings").is_dir():
            command.append(f"--filings={SHARED / 'filings'}")
        # on a busy machine Prefect's own server takes longer to start than Prefect waits
        patient = {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "200"} | os.environ
        made = subprocess.run(command, cwd=folder, env=patient, capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"the run to replay failed; the end of what it said:\n{made.stderr[-4000:]}")
        yield lake


# --- log ---------------------------------------------------------------------------------


def show_log(lake: Path) -> None:
    """Each operation's requests: what our order finds beside the bound and the other orders."""
    table = new_table(
        "The requests of a run, calls in groups: answers on 8 x 8B, all else on 2 x 72B",
        ("operation", "calls", "tokens", "bound", *ORDERS, "of bound", "imbalance"),
    )
    for logged in read_log(lake):
        hardware = LLAMA_8B if logged.operation.startswith("answer") else QWEN_72B
        results = [order(logged.groups, logged.calls, hardware) for order in ORDERS.values()]
        ours = results[0]
        table.add_row(
            logged.operation,
            f"{len(logged.calls):,} in {len(logged.groups):,}",
            f"{ours.n_prompt / 1e3:,.0f}k",
            percent(ours.bound),
            *(percent(result.hit_rate) for result in results),
            percent(ours.share_of_bound),
            f"{imbalance(ours.work):.2f}",
        )
    console.print(table)
    console.print(
        "Each operation starts on empty caches. Where it has few groups there is little to deal. "
        "Judging falls short of the bound where several pairs share a filing's first sentences, "
        "for their groups are dealt one by one.\n"
    )


# --- paper -------------------------------------------------------------------------------


def show_paper(hardware: Hardware) -> list[str]:
    """1,540 requests in every order; what was missed of what is needed."""
    work = answering()
    tokens = hardware.cache_blocks * BLOCK
    table = new_table(
        (
            f"The paper's workload on {hardware.name}: 1,540 requests, "
            f"cache of {tokens:,} tokens a replica"
        ),
        ("order", "found", "bound", "of bound", "imbalance", "preempted", "modelled time"),
    )
    results = {name: order(work.groups, work.calls, hardware) for name, order in ORDERS.items()}
    for name, result in results.items():
        table.add_row(
            name,
            percent(result.hit_rate),
            percent(result.bound),
            percent(result.share_of_bound),
            f"{imbalance(result.work):.4f}",
            str(result.n_preemptions),
            f"{result.seconds:,.0f} s",
        )
    console.print(table)
    ours, dealt = results["groups"], results["as dealt"]
    console.print(
        "A replica that has begun all its groups takes others', so that time, not tokens, "
        f"evens out: in modelled time the imbalance is {imbalance(ours.busy):.3f}, "
        f"and {imbalance(dealt.busy):.3f} as dealt.\n"
    )
    least_share = min(ours.share_of_bound, dealt.share_of_bound)
    return [
        *missed(f"{hardware.name}: share of the bound", least_share, LEAST_SHARE, 1),
        *missed(f"{hardware.name}: imbalance as dealt", imbalance(dealt.work), 1, MOST_IMBALANCE),
        *missed(
            f"{hardware.name}: imbalance with stealing", imbalance(ours.work), 1, MOST_IMBALANCE
        ),
    ]


# --- judging -----------------------------------------------------------------------------


def show_judging(hardware: Hardware) -> list[str]:
    """One wave over all models beside model by model; what was missed of what is needed."""
    table = new_table(
        f"Judging 36,960 answers on {hardware.name}: prompt tokens that were computed",
        ("order", "Mtokens", "found", "bound", "of bound", "wave / this", "modelled time"),
    )
    work = judging(TYPICAL_ANSWER)
    kept = [Replica(hardware.cache_blocks) for _ in range(hardware.replicas)]
    runs = {
        "one wave over all models": [in_groups(work.wave, work.calls, hardware)],
        "by model, judge restarted": [in_groups(*passed, hardware) for passed in work.passes],
        "by model, judge kept running": [
            in_groups(*passed, hardware, replicas=kept) for passed in work.passes
        ],
    }
    n_wave = runs["one wave over all models"][0].n_uncached
    lines: list[str] = []
    for name, results in runs.items():
        n_uncached = sum(result.n_uncached for result in results)
        n_prompt = sum(result.n_prompt for result in results)
        found = 1 - n_uncached / n_prompt
        bound = 1 - sum(result.n_least for result in results) / n_prompt
        table.add_row(
            name,
            f"{n_uncached / 1e6:.2f}",
            percent(found),
            percent(bound),
            percent(found / bound),
            f"{n_wave / n_uncached:.3f}",
            f"{sum(result.seconds for result in results):,.0f} s",
        )
        if name != "one wave over all models":
            lines += missed(f"judging: wave over {name}", n_wave / n_uncached, 0, MOST_OF_BY_MODEL)
    console.print(table)
    console.print(
        "By model, requests are grouped, dealt and primed as in the wave. "
        "A judge that keeps running finds next to nothing of the pass before: "
        "a pass is longer than its cache, and what was used longest ago goes first."
    )
    console.print(
        f"Answers have about {TYPICAL_ANSWER} tokens here. "
        "The longer they are, the less the wave saves; at the bounds, wave / by model is "
        + ", ".join(
            f"{least_ratio(typical):.3f} for {typical}" for typical in (60, TYPICAL_ANSWER, 200)
        )
        + " tokens.\n"
    )
    return lines


def least_ratio(typical_answer: int) -> float:
    """What a wave must compute at least over what passes by model must."""
    work = judging(typical_answer)
    by_model = sum(least_computed([call.prompt for call in calls]) for _, calls in work.passes)
    return least_computed([call.prompt for call in work.calls]) / by_model


# --- print -------------------------------------------------------------------------------


def new_table(title: str, headings: Sequence[str]) -> Table:
    """A table, its title printed, whose first columns of words stand left and all others right."""
    console.print(title, style="italic")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading in headings:
        is_words = heading in ("operation", "order")
        table.add_column(heading, justify="left" if is_words else "right", no_wrap=True)
    return table


def imbalance(loads: Sequence[float]) -> float:
    """The largest load over the mean."""
    return max(loads) * len(loads) / sum(loads)


def percent(value: float) -> str:
    return f"{value:.1%}" if value < 0.99 or value == 1 else f"{value:.2%}"


def missed(what: str, value: float, least: float, most: float) -> list[str]:
    """A sentence where a figure is not what is needed."""
    if least <= value <= most:
        return []
    return [f"{what} is {value:.4f}, needed: {least} to {most:.4g}"]


if __name__ == "__main__":
    main()
