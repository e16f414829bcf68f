"""A run of 1,540 requests is killed, shared and resumed: nothing is lost, nothing is paid twice.

The killed process is a small script that does what the tasks of `tenkbench infer` do, without
Prefect. It begins with its imports done, because they would take longer than all the rest. One kill
goes through the command line.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Request, Response
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.operation import PRIME
from tasks.lake.lake import Lake, LakeStep
from tests.forked import Forked
from tests.servers.serving import Server, serving
from tests.without_prefect import BUILD, INFER

ROOT = Path(__file__).parents[2]
N_PAIRS = 220
N_REQUESTS = 7 * N_PAIRS
IN_FLIGHT = 64  # of a model that is named NAME@URL
N_KILLS = 20
# A process is killed after it has sent fewer than so many, and gets few answers more, however late
# the kill is: there is work for the next.
MOST_SENT, FEW = 100, 20
SEED = 20261121

# What changes from run to run although the answers do not: both times are the clock's, and n_cached
# depends on what the server was asked before.
MEASURED = {"latency_ms": None, "first_token_ms": None, "n_cached": None}


def record(number: int) -> dict[str, Any]:
    """One row of FailSafeQA's layout, different from every other in each of its texts."""
    text = (
        f"ACME FICTION CORP {number}\n\n"
        f"Net sales were ${number + 1}.{number % 10} million in 1998.\n"
    )
    return {
        "idx": number,
        "query": f"What were net sales of company {number} in 1998?",
        "answer": f"${number + 1}.{number % 10} million.",
        "citations": text,
        "context": text * 4,
        "ocr_context": text.replace("l", "1") * 4,
        "tokens": 31,
        "citations_tokens": 11,
        "error_query": f"What wer net salse of company {number}?",
        "incomplete_query": f"net sales company {number}",
        "out-of-domain_query": f"How much money did number {number} take in?",
        "out-of-scope_query": f"How many patents did company {number} hold?",
    }


def start(script: str, lake: Path, given: str) -> Forked:
    return Forked(script, str(lake), given, stderr=lake.with_name("stderr"))


def finish(process: Forked) -> None:
    problem = process.wait(120)
    assert process.returncode == 0, problem


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with 220 pairs and their 1,540 cases."""
    folder = tmp_path_factory.mktemp("built")
    released = folder / "released.jsonl"
    released.write_text(json.dumps([record(number) for number in range(N_PAIRS)]))
    finish(start(BUILD, folder / "lake", str(released)))
    return folder / "lake"


@pytest.fixture
def lake(built: Path, tmp_path: Path) -> Path:
    """The same, of the test's own."""
    return Path(shutil.copytree(built, tmp_path / "lake"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(delay_ms=20, log=tmp_path / "log") as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """What a run that nothing happens to leaves."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(built, folder / "lake")
    with serving(log=folder / "log") as running:
        finish(start(INFER, folder / "lake", f"local@{running.url}"))
        n_received = Counter(is_primer for _, is_primer in received(running))
    found = tables(folder / "lake")
    assert n_received == {False: N_REQUESTS, True: n_primers(found)}
    assert (
        n_primers(found) > N_PAIRS
    )  # one for the requests of each context, at least one for those without
    return found


Tables = tuple[list[Request], list[Response]]


def tables(lake: Path) -> Tables:
    """The final tables, less what is measured."""
    opened = Lake(lake)
    commit = opened.commit_of(LakeStep("dev", "failsafeqa.infer.local"))
    assert commit is not None
    responses = [replace(response, **MEASURED) for response in opened.read(commit, Response)]
    return opened.read(commit, Request), responses


def n_primers(found: Tables) -> int:
    return sum(request.operation == PRIME for request in found[0])


def received(server: Server, since: int = 0) -> list[tuple[str, bool]]:
    """(prompt's sha256, whether it is a primer) of every request that the server has received."""
    return [
        (event["prompt"], event["max_tokens"] == 1)
        for event in server.log()[since:]
        if event["event"] == "received"
    ]


def settle_down(server: Server) -> int:
    """Wait until the server has noticed that its client is gone; how long its log is then."""
    while True:
        before = len(server.log())
        time.sleep(0.05)
        if server.stats()["in_flight"] == 0 and len(server.log()) == before:
            return before


def kept_prompts(lake: Path, prompt_of: dict[str, str]) -> set[str]:
    journal = ResponseCache(lake / "_ledger" / "journal.sqlite")
    found = journal.find(list(prompt_of))
    journal.close()
    return {prompt_of[key] for key in found}


def kill_after(
    process: Forked | subprocess.Popen[str], server: Server, n_more: int, seconds_later: float
) -> None:
    """Kill a process group so much after the server has received so many more requests."""
    assert server.log_file is not None
    with server.log_file.open("rb") as log:
        log.seek(0, os.SEEK_END)
        left = n_more
        while left > 0 and process.poll() is None:
            time.sleep(0.002)
            left -= log.read().count(b'"received"')
    time.sleep(seconds_later)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    problem = process.wait()
    assert process.returncode == -signal.SIGKILL, problem


def test_a_run_killed_at_20_random_moments_loses_nothing_and_repeats_only_what_was_in_flight(
    lake: Path, server: Server, undisturbed: Tables
) -> None:
    requests, _ = undisturbed
    prompt_of = {
        request.key or "": request.prompt_sha256
        for request in requests
        if request.operation != PRIME
    }
    assert len(prompt_of) == len(set(prompt_of.values())) == N_REQUESTS
    drawn = random.Random(SEED)
    moments = [(drawn.randrange(1, MOST_SENT), drawn.uniform(0, 0.04)) for _ in range(N_KILLS)]
    unanswered: Counter[str] = Counter()
    in_flight = []
    n_seen = 0
    for n_sent, seconds_later in moments:
        server.set_faults([{"kind": "hang", "after": n_sent + FEW}])
        kill_after(start(INFER, lake, f"local@{server.url}"), server, n_sent, seconds_later)
        n_now = settle_down(server)
        lost = {prompt for prompt, is_primer in received(server, n_seen) if not is_primer}
        lost -= kept_prompts(lake, prompt_of)
        n_seen = n_now
        unanswered.update(lost)
        in_flight.append(len(lost))
    print(f"seed {SEED}: killed at {moments}; in flight at each: {in_flight}")
    server.set_faults([])
    finish(start(INFER, lake, f"local@{server.url}"))

    times = Counter(prompt for prompt, is_primer in received(server) if not is_primer)
    assert set(times) == set(prompt_of.values())  # none lost
    assert {
        prompt: n - 1 for prompt, n in times.items() if n > 1
    } == unanswered  # resent: in flight, no more
    assert max(in_flight) <= IN_FLIGHT
    assert sum(in_flight) > 0  # or the test would show nothing
    request_ids = [request.request_id for request in tables(lake)[0]]
    assert (
        len(set(request_ids)) == len(request_ids) == N_REQUESTS + n_primers(undisturbed)
    )  # none twice
    assert tables(lake) == undisturbed


def test_the_command_line_goes_on_after_a_kill(
    environment: dict[str, str], lake: Path, server: Server, undisturbed: Tables
) -> None:
    words = ["infer", "--lake", str(lake), "--model", f"local@{server.url}"]
    command = [sys.executable, "-m", "flows.cli.app", *words]
    killed = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, start_new_session=True)
    server.set_faults([{"kind": "hang", "after": 700}])
    kill_after(killed, server, 700, 0.0)
    server.set_faults([])
    n_seen = settle_down(server)
    requests, _ = undisturbed
    prompt_of = {
        request.key or "": request.prompt_sha256
        for request in requests
        if request.operation != PRIME
    }
    kept = kept_prompts(lake, prompt_of)
    lost = {prompt for prompt, is_primer in received(server) if not is_primer} - kept
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    times = Counter(prompt for prompt, is_primer in received(server) if not is_primer)
    assert times == Counter(prompt_of.values()) + Counter(lost)
    assert 0 < len(lost) <= IN_FLIGHT
    # a prefix of which at most one prompt is left needs no primer
    n_left = Counter(
        request.prefix_id
        for request in requests
        if request.operation != PRIME and request.prompt_sha256 not in kept
    )
    needless = {
        request.prompt_sha256
        for request in requests
        if request.operation == PRIME and n_left[request.prefix_id] < 2
    }
    assert needless
    assert needless.isdisjoint(
        prompt for prompt, is_primer in received(server, n_seen) if is_primer
    )
    assert tables(lake) == undisturbed
