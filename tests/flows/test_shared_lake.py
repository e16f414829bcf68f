"""Machines share a lake in S3: each answer is bought once for all, even if one is killed.

A machine is a process with its own cache folder. S3 is a local server
(`tests/servers/s3_server.py`).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Request, Response
from tasks.inference.cache.response_cache import cache_of
from tasks.inference.operation import PRIME
from tasks.lake.lake import Lake, LakeStep
from tests.flows.test_durability import MEASURED, Tables, kill_after, received, record, settle_down
from tests.forked import Forked
from tests.journals import bought
from tests.servers.serving import Server, serving
from tests.without_prefect import BUILD, INFER

ROOT = Path(__file__).parents[2]
N_PAIRS = 40
N_REQUESTS = 7 * N_PAIRS
LENGTH_S = 3.0
STEP = LakeStep("dev", "failsafeqa.infer.local")

# Leases that end sooner, so that a test of killed machines does.
INFER_SOON = f"import tasks.lake.lease\ntasks.lake.lease.LENGTH_S = {LENGTH_S}\n{INFER}"

Start = Callable[..., Forked]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with its cases, in a folder."""
    folder = tmp_path_factory.mktemp("built")
    released = folder / "released.jsonl"
    released.write_text(json.dumps([record(number) for number in range(N_PAIRS)]))
    finish(Forked(BUILD, str(folder / "lake"), str(released), stderr=folder / "stderr"))
    return folder / "lake"


@pytest.fixture
def lake(built: Path, bucket: str) -> str:
    """The same in S3, of the test's own."""
    shared = Lake(f"{bucket}/lake")
    for file in sorted(built.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            shared.objects.put(file.relative_to(built).as_posix(), file.read_bytes())
    return shared.url


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(delay_ms=20, log=tmp_path / "log") as running:
        yield running


@pytest.fixture
def start(lake: str, server: Server, tmp_path: Path) -> Iterator[Start]:
    """Starts `infer` on a machine of some name."""
    started: list[Forked] = []

    def on(machine: str, script: str = INFER) -> Forked:
        environment = {"TENKBENCH_CACHE": str(tmp_path / machine)}
        process = Forked(
            script,
            lake,
            f"local@{server.url}",
            stderr=tmp_path / f"stderr-{machine}",
            environment=environment,
        )
        started.append(process)
        return process

    yield on
    for process in started:
        if process.poll() is None:  # the test has failed
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def finish(process: Forked) -> None:
    problem = process.wait(120)
    assert process.returncode == 0, problem


def tables(lake: str) -> Tables:
    """The final tables, less what is measured."""
    opened = Lake(lake)
    commit = opened.commit_of(STEP)
    assert commit is not None
    responses = [replace(response, **MEASURED) for response in opened.read(commit, Response)]
    return opened.read(commit, Request), responses


def sent(server: Server) -> Counter[str]:
    return Counter(prompt for prompt, is_primer in received(server) if not is_primer)


def test_two_machines_on_one_run_pay_once_and_losing_the_cache_costs_nothing(
    lake: str, server: Server, start: Start, tmp_path: Path
) -> None:
    for process in [start("a"), start("b")]:
        finish(process)
    assert set(sent(server).values()) == {1}
    assert len(sent(server)) == N_REQUESTS
    found = tables(lake)
    assert len({request.request_id for request in found[0]}) == len(found[0])
    assert len([request for request in found[0] if request.operation != PRIME]) == N_REQUESTS

    n_received = server.stats()["received"]
    shutil.rmtree(tmp_path / "a")
    Lake(lake).objects.delete(["_commits/release=dev/failsafeqa.infer.local.json"])
    finish(start("a"))
    assert server.stats()["received"] == n_received
    assert tables(lake) == found
    # the accounts, as a machine has them that bought nothing
    assert len(bought(cache_of(Lake(lake)))) == n_received


def test_machines_that_are_paused_and_killed_cost_no_more_than_what_was_in_flight(
    lake: str, server: Server, start: Start
) -> None:
    no_more = [{"kind": "hold", "after": 60}]
    server.set_faults(no_more)
    paused = start("a", INFER_SOON)
    wait_for(server, 61)
    os.killpg(paused.pid, signal.SIGSTOP)
    server.set_faults(no_more)  # what is in flight is answered
    settle_down(server)
    kill_after(start("b", INFER_SOON), server, 60, 0.01)  # it has waited for the end of the lease
    server.set_faults([])
    settle_down(server)
    assert len(sent(server)) < N_REQUESTS
    finish(start("c", INFER_SOON))
    found = tables(lake)
    os.killpg(paused.pid, signal.SIGCONT)
    problem = paused.wait(120)
    assert paused.returncode == 1
    assert "has taken over local" in problem

    assert len(sent(server)) == N_REQUESTS
    assert max(sent(server).values()) <= 3
    # Not only what the server had received: a machine paused while connecting sends that call
    # once it goes on.
    assert 0 < sum(sent(server).values()) - N_REQUESTS <= 2 * 64  # the model's calls in flight
    assert tables(lake) == found


def wait_for(server: Server, n_received: int) -> None:
    """Wait until the server has received so many requests."""
    while server.stats()["received"] < n_received:
        time.sleep(0.02)
