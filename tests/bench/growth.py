"""What each step costs for a filing, and its peak memory, as the number of filings grows.

`python tests/bench/growth.py [suites] [sizes]`, such as `growth.py tablequest,faith 200,1000`

The lake holds copies of the shared filings, each of another company: a word of its name has other
letters wherever it occurs, and each table has a row of its own. A copy has ids of its own. Each
step runs alone, by rules, in a fork of one process. CPU seconds are those that the kernel counted
for it; peak memory includes the 150 MB of the imports. Exit status 1 if a filing of the largest
lake costs 15 % more than one of the smallest, over all steps, or if the peak of a step is 15 %
higher.

Steps hold one part in memory, of 64 filings or contexts, and a process's memory settles with the
third one. So the smallest lake has 200 filings; with fewer, lakes differ by what they fill.
RefusalBench's pool of passages is full from about 630 filings. A filing takes 0.3 to 0.7 s of CPU
time for TableQuest, RefusalBench and FAITH, and 1.4 s for FailSafeQA.
"""

from __future__ import annotations

import os
import random
import re
import string
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # run as a file, its folder is all that would be found

import prefect  # noqa: F401  before our flows, whose tasks have `fn` then
from rich import box
from rich.console import Console
from rich.table import Table

from tasks.core.rows import Document, Filing, FilingTable, Reject
from tasks.filings.reader.files import find_files
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import Source, read_filing
from tasks.infer import infer_prefixes, infer_responses
from tasks.judge import commit_judgements, judge_answers, unjudged, waves_of
from tasks.lake.lake import Lake
from tasks.pipeline.clients import context_of
from tasks.pipeline.resolved import ResolvedRun, resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import plan_ingest
from tests.built import build_steps

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[3] / "shared"))
SUITES, SIZES = ("failsafeqa",), (200, 400)
SHARD = 64  # filings of a part, as ingest writes them
MOST = 1.15


def measured(work: Callable[..., None], *given: Any) -> tuple[float, float]:
    """Run in a fork of this process; return CPU seconds and peak megabytes."""
    child = os.fork()
    if not child:
        try:
            work(*given)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{work.__name__} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def copied(parsed: ParsedFiling, number: int) -> ParsedFiling:
    """Return a filing as another company's; its text keeps its length, and spans their places.

    A last row of each table holds a made-up word. Without it, tables that do not name the company
    would be the same in all copies, and steps leave repeated contexts out.
    """
    words = re.findall(r"[A-Za-z]{4,}", parsed.filing.company or "") or ["company"]
    rng = random.Random(number)
    letters = rng.choices(string.ascii_lowercase, k=len(words[0]))
    names = dict(zip(words[0].lower(), letters, strict=False))
    made = "".join(letters).capitalize()
    pattern = re.compile(re.escape(words[0]), re.IGNORECASE)

    def other(found: re.Match[str]) -> str:
        made = "".join(names[letter.lower()] for letter in found[0])
        return made.upper() if found[0].isupper() else made.capitalize()

    def named(text: str) -> str:
        return pattern.sub(other, text)

    old = parsed.document
    filing = replace(
        parsed.filing,
        filing_id=f"{parsed.filing.filing_id}-{number}",
        company=named(parsed.filing.company or "") or None,
        cik=str(10_000_000 + number),
    )
    document = replace(
        old,
        document_id=f"{old.document_id}-{number}",
        filing_id=filing.filing_id,
        text=named(old.text),
    )
    tables = (
        replace(
            table,
            table_id=f"{table.table_id}-{number}",
            document_id=document.document_id,
            pre_text=named(table.pre_text),
            cells=(*(tuple(map(named, row)) for row in table.cells), (made,)),
            html=None if table.html is None else named(table.html),
        )
        for table in parsed.tables
    )
    return ParsedFiling(filing=filing, document=document, tables=tuple(tables))


def ingest(run: ResolvedRun, folder: Path, size: int, shard_size: int = SHARD) -> None:
    """Write copies of a folder's filings as ingest does, without reading every copy."""
    files = [file for file in find_files(folder) if not file.name.endswith(".json")]
    sources = (Source(uri=f.name, data=f.read_bytes(), encoding="cl100k_base") for f in files)
    real = [each for each in map(read_filing, sources) if isinstance(each, ParsedFiling)]
    lake = Lake(run.settings.lake)
    planned = plan_ingest(lake, run)
    parts = []
    for shard, first in enumerate(range(0, size, shard_size)):
        numbers = range(first, min(first + shard_size, size))
        some = [copied(real[number % len(real)], number) for number in numbers]
        tables = [table for each in some for table in each.tables]
        parts.append(planned.write(lake, Filing, [each.filing for each in some], shard))
        parts.append(planned.write(lake, Document, [each.document for each in some], shard))
        parts.append(planned.write(lake, FilingTable, tables, shard))
    parts.append(planned.write(lake, Reject, [], suite="all", stage="ingest"))
    planned.commit(lake, parts)


def judge(run: ResolvedRun) -> None:
    """Judge all answers, as the flow does."""
    for each in run.judges:
        judged = unjudged(run, each)
        context = context_of(run.settings)
        waves = waves_of(run, each, judged)
        done = [judge_answers.fn(run, context, each, judged, wave) for wave in waves]
        for models in judged:
            commit_judgements.fn(
                run, each, models, [part for wave in done for part in wave[models]]
            )


def steps(suite: str, size: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Run all steps of a suite on so many filings; return each one's CPU seconds and memory."""
    # the folder of filings only gives the plan of ingest an identity
    run = RunSettings(
        lake=str(folder / f"{suite}-{size}"),
        suite=suite,
        filings=str(SHARED / "filings"),
        workers=1,
    )
    resolved = resolve(run)
    measured(ingest, resolved, SHARED / "filings", size)
    took = {step.name: measured(build_steps, run, step.name) for step in resolved.build}
    took["infer prefixes"] = measured(infer_prefixes.fn, resolved, "text")
    took["infer"] = measured(infer_responses.fn, resolved, context_of(run), "extractive")
    took["judge"] = measured(judge, resolved)
    return took


def main(suites: Sequence[str], sizes: Sequence[int]) -> int:
    """Measure and print; return the exit status."""
    console, is_flat = Console(), True
    for suite in suites:
        with tempfile.TemporaryDirectory() as folder:
            took = {size: steps(suite, size, Path(folder)) for size in sizes}
        table = Table(title=f"{suite}: CPU ms a filing, and peak MB", box=box.SIMPLE_HEAD)
        table.add_column("step")
        for size in sizes:
            table.add_column(f"ms at {size:,}", justify="right")
            table.add_column("MB", justify="right")
        for step in took[sizes[0]]:
            cells = [(took[size][step][0] / size * 1000, took[size][step][1]) for size in sizes]
            table.add_row(step, *(text for ms, mb in cells for text in (f"{ms:.1f}", f"{mb:.0f}")))
        costs = [sum(cpu_s for cpu_s, _ in took[size].values()) / size for size in sizes]
        table.add_row("all", *(text for cost in costs for text in (f"{cost * 1000:.1f}", "")))
        console.print(table)
        peaks = {step: [took[size][step][1] for size in sizes] for step in took[sizes[0]]}
        grown = [step for step, mb in peaks.items() if mb[-1] > MOST * mb[0]]
        if grown:
            console.print(f"peak memory grows by more than 15 % in: {', '.join(grown)}")
        is_flat = is_flat and not grown and costs[-1] <= MOST * costs[0]
    console.print("holds" if is_flat else f"[bold]misses[/bold] {MOST} times")
    return 0 if is_flat else 1


if __name__ == "__main__":
    named = sys.argv[1].split(",") if len(sys.argv) > 1 else SUITES
    counted = [int(size) for size in sys.argv[2].split(",")] if len(sys.argv) > 2 else SIZES
    sys.exit(main(named, counted))
