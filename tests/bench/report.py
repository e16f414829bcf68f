"""The report at full size: 220 questions, 24 models, 7 forms; its size, and when it is usable.

The lake is invented (`tests/invented_lake.py`): as many answers as a run of the paper's models has,
with words in the frequencies of filings. A page can be used when its first case is shown, unpacked.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from flows.report import write_report
from tests.invented_lake import RELEASE, SUITE, Invented, invent

MOST_SECONDS = 3.0
MOST_MEGABYTES = 25.0
CHROMIUM = "/usr/bin/chromium"
SKILL = {"extractive": 0.5} | {f"model-{n:02}-instruct": 0.5 + n / 50 for n in range(1, 24)}
TRIES = 5


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        lake = invent(
            Path(folder, "lake"),
            Invented(n_filings=55, pairs_per_filing=4, skill=SKILL, context_words=4_000),
        )
        target = Path(folder, "report.html")
        started = time.perf_counter()
        write_report(lake.url, RELEASE, SUITE, target)
        print(f"written in {time.perf_counter() - started:.1f} s")
        megabytes = target.stat().st_size / 1e6
        seconds = usable_after(target)
    print(f"{megabytes:.1f} MB, at most {MOST_MEGABYTES:g} wanted")
    print(
        f"usable after {statistics.median(seconds):.2f} s ({min(seconds):.2f} "
        f"to {max(seconds):.2f} in {TRIES} tries), at most {MOST_SECONDS:g} wanted"
    )
    return int(megabytes > MOST_MEGABYTES or statistics.median(seconds) > MOST_SECONDS)


def usable_after(target: Path) -> list[float]:
    """Return the seconds until Chromium shows the first case, each time in a new profile."""
    from playwright.sync_api import sync_playwright

    seconds = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        for _ in range(TRIES):
            context = browser.new_context(offline=True)
            page = context.new_page()
            started = time.perf_counter()
            page.goto(target.as_uri(), wait_until="commit")
            page.wait_for_selector("#case h3")
            seconds.append(time.perf_counter() - started)
            context.close()
        browser.close()
    return seconds


if __name__ == "__main__":
    sys.exit(main())
