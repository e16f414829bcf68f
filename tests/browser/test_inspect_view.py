"""An exported log in Inspect's own viewer."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tasks.results.publish.inspect_export import export_inspect
from tests.invented_lake import RELEASE, SUITE, Invented, invent


@pytest.fixture
def log(tmp_path: Path) -> EvalLog:
    invented = Invented(n_filings=2, pairs_per_filing=1, skill={"alpha-70b": 0.9})
    lake = invent(tmp_path / "lake", invented)
    (file,) = export_inspect(lake, RELEASE, tmp_path / "exported")
    return read_eval_log(str(file))


@pytest.fixture
def address(log: EvalLog) -> Iterator[str]:
    """Where `inspect view` answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--log-dir", str(Path(log.location).parent)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def test_a_samples_transcript_and_score_are_seen(browser: Any, log: EvalLog, address: str) -> None:
    sample = next(each for each in log.samples or () if each.scores["judge-72b"].value == 1)
    page = browser.new_page()
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
