"""An exported log in Inspect's own viewer."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tasks.results.publish.inspect_export import export_inspect
from tests.browser.conftest import MOST_MS
from tests.invented_lake import RELEASE, SUITE, Invented, invent
from tests.ports import free_port

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


@pytest.fixture
def log(tmp_path: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log  # a second, and every test worker imports this file

    invented = Invented(n_filings=2, pairs_per_filing=1, skill={"alpha-70b": 0.9})
    lake = invent(tmp_path / "lake", invented)
    # In a thread: Playwright's loop runs in this one, and inspect_ai would then patch asyncio for
    # the whole process and all later tests.
    with ThreadPoolExecutor(1) as pool:
        (file,) = pool.submit(export_inspect, lake, RELEASE, tmp_path / "exported").result()
        return pool.submit(read_eval_log, str(file)).result()


@pytest.fixture
def address(log: EvalLog) -> Iterator[str]:
    """Where `inspect view` answers."""
    port = free_port()
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--log-dir", str(Path(log.location).parent)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 120
        while not answers(port):
            assert time.monotonic() < until, "`inspect view` did not start"
            assert server.poll() is None
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def answers(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_samples_transcript_and_score_are_seen(browser: Any, log: EvalLog, address: str) -> None:
    sample = next(each for each in log.samples or () if each.scores["judge-72b"].value == 1)
    page = browser.new_page()
    page.set_default_timeout(MOST_MS)
    try:
        page.goto(f"{address}/#/logs/{Path(log.location).name}/samples/sample/{sample.id}/1/")
        page.get_by_text("Model call: alpha-70b").wait_for()
        shown = page.inner_text("body")
    finally:
        page.close()
    assert SUITE in shown
    assert sample.output.completion.split("\n")[0][:60] in shown
    assert sample.metadata["query"].split("\n")[0][:40] in shown
    score = shown[shown.rindex("EXPLANATION") :]
    assert sample.scores["judge-72b"].explanation.split("\n")[0][:40] in score
    assert score.rstrip().split("SCORE")[-1].split()[0] == "1"
