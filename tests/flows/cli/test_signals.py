"""SIGTERM, as from a scheduler, and a second Ctrl-C in a command keep what is in flight or came.

`tests/flows/test_server.py` has the SIGTERM that a worker sends to a flow.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.pipeline.settings import RunSettings
from tests.servers.serving import serving


@pytest.mark.parametrize("environment", ["without Prefect"], indirect=True)
def test_ctrl_c_twice_ends_beside_a_server_that_hangs_and_keeps_what_came(
    environment: dict[str, str], copied: RunSettings, tmp_path: Path
) -> None:
    with serving(faults=[{"kind": "hang", "after": 4}]) as server:
        models_file = tmp_path / "models.toml"
        models_file.write_text(
            '[models.slow]\nengine = "openai"\ndescription = "ours"\n'
            f'base_url = "{server.url}"\nin_flight = 16\nprime = false\n'
        )
        started = infer(environment, copied, models_file)
        wait_for(started, lambda: server.stats()["received"] > 4)
        started.send_signal(signal.SIGINT)
        until_told(started)
        started.send_signal(signal.SIGINT)
        started.communicate(timeout=20)  # half a second on a quiet machine, 5 promised
        assert started.returncode == 128 + signal.SIGINT
        stopped = server.stats()
    assert stopped["received"] > stopped["answered"] == 4
    assert n_kept(copied.lake) == 4


def infer(
    environment: dict[str, str], run: RunSettings, models_file: Path
) -> subprocess.Popen[str]:
    """Start `tenkbench infer` with the model `slow`."""
    command = f"-m flows.cli.app infer --pairs 2 --workers 1 --model slow --lake {run.lake}"
    return subprocess.Popen(
        [sys.executable, *command.split(), "--models-file", str(models_file)],
        cwd=Path(__file__).parents[3],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(started: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    """Wait while the process runs."""
    while not condition():
        assert started.poll() is None
        time.sleep(0.05)


def until_told(started: subprocess.Popen[str]) -> str:
    """What the process says until it has heeded a signal."""
    assert started.stderr is not None
    said = ""
    while "Stopping: waiting for the calls in flight" not in said:
        assert started.poll() is None, said
        said += started.stderr.readline()
    return said


def n_kept(lake: str) -> int:
    """Answers in a lake's journal."""
    with sqlite3.connect(Path(lake) / "_ledger" / "journal.sqlite") as journal:
        (n,) = journal.execute("select count(*) from answers").fetchone()
    return int(n)
