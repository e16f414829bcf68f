"""How fast ingest reads filings, beside BeautifulSoup's and edgartools' bare text.

`python tests/bench/ingest.py [rounds]`; needs the shared test data beside the checkout.

All three get the same bytes: each filing's main document, without its SGML wrapper and
exhibits, so that nobody is charged for parts that the others skip. Ours is the whole
step (decoding, paragraphs, tables, Items, tokens counted, rows made); the others only
give text. One process each, in turn on one file after another, processor time, best of
the rounds: what else the machine does falls on all alike.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from bs4 import BeautifulSoup
from edgar.documents import parse_html
from rich import box
from rich.console import Console
from rich.table import Table

from tasks.compute.workers import available_workers, spread
from tasks.filings.reader.files import decode, find_files, unpack
from tasks.filings.reader.filing import ParsedFiling, is_html, parse_filing
from tasks.filings.reader.reading import Source, read_filing
from tasks.filings.reader.submission import read_submission
from tasks.text.tokens import encoding

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[3] / "shared"))


def best_seconds(work: Callable[[], object], rounds: int) -> float:
    """The least processor time that a piece of work took in some rounds."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def step_seconds(sources: Sequence[Source], rounds: int) -> float:
    """Least wall time of the whole step over every worker, their processes already started."""
    seconds = []
    for _ in range(rounds + 1):  # the first starts the processes
        start = time.perf_counter()
        list(spread(read_filing, sources))
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def main(rounds: int) -> None:
    """Measure and print."""
    warnings.filterwarnings("ignore")
    files = [file for file in find_files(SHARED / "filings") if not file.name.endswith(".json")]
    texts = {file.name: read_submission(decode(unpack(file.read_bytes()))).text for file in files}
    encoding().encode_ordinary("warm")
    table = Table(
        title="Reading 10-K main documents: MB/s on one core",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for heading in ("filing", "MB", "ours", "bs4", "edgartools", "x bs4", "x edgartools"):
        table.add_column(heading, justify="left" if heading == "filing" else "right", no_wrap=True)
    totals = {"HTML filings": [0.0] * 4, "text filings": [0.0] * 4}
    for name, text in texts.items():
        data = text.encode()
        kind = "HTML filings" if is_html(text) else "text filings"
        measured = [
            len(data) / 1e6,
            best_seconds(lambda data=data: parse_filing(data, "bench"), rounds),  # type: ignore[misc]
            best_seconds(lambda data=data: BeautifulSoup(data, "lxml").get_text(), rounds),  # type: ignore[misc]
            best_seconds(lambda text=text: parse_html(text).text(), 1) if is_html(text) else 0.0,  # type: ignore[misc]
        ]
        totals[kind] = [total + value for total, value in zip(totals[kind], measured, strict=True)]
        add_row(table, name.split("_main")[0].split("_full")[0].split("_flat")[0], measured)
    table.add_section()
    for kind, total in totals.items():
        add_row(table, kind, total)
    console = Console()
    console.print(table)
    sources: dict[str, list[Source]] = {kind: [] for kind in totals}
    for name, text in texts.items():
        source = Source(uri=name, data=text.encode(), encoding="cl100k_base")
        sources["HTML filings" if is_html(text) else "text filings"].append(source)
    for kind, (mb, ours, *_) in totals.items():
        counting = sum(best_seconds(counting_of(source), rounds) for source in sources[kind])
        console.print(
            f"{kind}, whole step: {mb / ours:.1f} MB/s on one core; {mb / (ours - counting):.1f} "
            f"MB/s without counting tokens, which takes {counting / ours:.0%} of the time."
        )
    mb, _, soup, _ = totals["HTML filings"]
    step = step_seconds(sources["HTML filings"], rounds)
    console.print(
        f"HTML filings over {available_workers()} workers: {mb / step:.1f} MB/s of wall time, "
        f"{soup / step:.1f} x bs4."
    )


def counting_of(source: Source) -> Callable[[], object]:
    """Return the counting of a filing's tokens, paragraph by paragraph as ingest does it."""
    read = read_filing(source)
    assert isinstance(read, ParsedFiling)
    text = read.document.text
    texts = [text[each.start_char : each.end_char] + "\n\n" for each in read.document.paragraphs]
    return lambda: [len(encoding().encode_ordinary(each)) for each in texts]


def add_row(table: Table, name: str, measured: Sequence[float]) -> None:
    """One line: megabytes, then each reader's seconds as MB/s."""
    mb, ours, soup, edgartools = measured
    table.add_row(
        name,
        f"{mb:.2f}",
        f"{mb / ours:.1f}",
        f"{mb / soup:.1f}",
        f"{mb / edgartools:.1f}" if edgartools else "",
        f"{soup / ours:.1f}",
        f"{edgartools / ours:.1f}" if edgartools else "",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
