"""A call that kills its server is found, set aside, and asked again when told."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.inference.operation import Call
from tasks.models.catalogue import Model
from tests.calls import call_of, group_of
from tests.servers.serving import Server, serving

ROOT = Path(__file__).parents[4]
POISON = {"kind": "die", "match": "poison"}

# One life: asks the calls through the lake's ledger and prints the outcome on one line.
LIFE = """
import asyncio, json, sys, time
from pathlib import Path
from tasks.inference.engines import load_engine
from tasks.core.errors import RunFailed
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import grouped
from tests.tasks.inference.engines.test_quarantine import calls_to, row_of

url, journal, retries, patience_s = sys.argv[1:]
row, found = row_of(url, float(patience_s)), {}

cache = ResponseCache(Path(journal))
client = Client(
    load_engine(row, {}), cache, failures_after=cache.latest() if retries == "retries" else None
)
async def ask():
    async for call, response in client.stream(grouped(calls_to(row))):
        found[call.prompt] = [response.status, response.attempts]

ended = None
try:
    asyncio.run(ask())
except RunFailed as failed:
    ended = str(failed)
print(json.dumps([found, ended]))
"""


def row_of(url: str, patience_s: float = 0.3) -> Model:
    return Model(
        name="local",
        engine="openai",
        description="",
        base_url=url,
        in_flight=8,
        patience_s=patience_s,
    )


def calls_to(row: Model) -> list[Call]:
    """Forty questions, and one that kills."""
    calls = [call for n in range(10) for call in group_of(f"Document {n}.", 4, row)]
    return [*calls[:20], call_of("Document 5.", " poison?", row), *calls[20:]]


def begin(
    server: Server, journal: Path, *, retries: bool = False, patience_s: float = 0.3
) -> subprocess.Popen[str]:
    """A life of our program."""
    told = [server.url, str(journal), "retries" if retries else "no", str(patience_s)]
    return subprocess.Popen(
        [sys.executable, "-c", LIFE, *told], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def live(
    server: Server, journal: Path, *, retries: bool = False
) -> tuple[dict[str, Any], str | None]:
    """A life until its end: (prompt -> status and attempts, what it said if it gave up)."""
    said, _ = begin(server, journal, retries=retries).communicate(timeout=240)
    found, ended = json.loads(said)
    return found, ended


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "_ledger" / "journal.sqlite"


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    with serving(delay_ms=30, log=tmp_path / "log", faults=[POISON]) as server:
        yield server


def received(server: Server, life: int) -> list[str]:
    """sha256 of the prompts that a life of the server was sent, in order; the first life is 1."""
    lives: list[list[str]] = [[]]
    for event in server.log():
        if event["event"] == "received":
            lives[-1].append(event["prompt"])
            if event["prompt"] == killer(server):
                lives.append([])
    return lives[life - 1]


def killer(server: Server) -> str:
    return next(
        call.request.prompt_sha256
        for call in calls_to(row_of(server.url))
        if "poison" in call.prompt
    )


def restarted(
    server: Server, process: subprocess.Popen[str], times: int
) -> tuple[dict[str, Any], str | None]:
    """A life until its end, with a server that somebody starts again when it has died."""
    for _ in range(times):
        server.process.wait(timeout=240)
        server.start()
    said, _ = process.communicate(timeout=240)
    found, ended = json.loads(said)
    return found, ended


def test_a_call_that_kills_its_server_is_found_out_in_one_life_and_costs_two_servers(
    mortal: Server, journal: Path
) -> None:
    found, ended = restarted(mortal, begin(mortal, journal, patience_s=30), 2)
    assert ended is None
    assert Counter(status for status, _ in found.values()) == Counter(ok=40, quarantined=1)
    assert found["Document 5. poison?"] == ["quarantined", 2]
    assert killer(mortal) not in received(mortal, 3)
    n_received = mortal.stats()["received"]
    found, ended = live(mortal, journal)  # that is kept
    assert (ended, found["Document 5. poison?"]) == (None, ["quarantined", 2])
    assert mortal.stats()["received"] == n_received


def test_what_may_have_killed_a_server_is_alone_when_it_is_back(
    mortal: Server, journal: Path
) -> None:
    restarted(mortal, begin(mortal, journal, patience_s=30), 2)
    first = set(received(mortal, 1))
    events = mortal.log()
    at_first_death = next(
        place for place, event in enumerate(events) if event["prompt"] == killer(mortal)
    )
    suspects = first - {
        event["prompt"] for event in events[:at_first_death] if event["event"] == "answered"
    }
    assert killer(mortal) in suspects
    in_flight: set[str] = set()
    for event in events[at_first_death + 1 :]:
        if event["event"] == "received":
            if event["prompt"] in suspects:
                assert not in_flight
                suspects.discard(event["prompt"])
            in_flight.add(event["prompt"])
            if event["prompt"] == killer(mortal):  # it ends all that is in flight
                in_flight.clear()
        else:
            in_flight.discard(event["prompt"])
    assert killer(mortal) not in suspects  # it was sent, and the loop has seen it


def test_a_run_that_gives_up_has_counted_for_itself_only(mortal: Server, journal: Path) -> None:
    for life in (1, 2):  # nobody starts the server in time: each run costs one
        _, ended = live(mortal, journal)
        assert ended is not None
        assert "Start it, then run the same command again" in ended
        assert killer(mortal) in received(mortal, life)
        mortal.start()
    found, ended = restarted(mortal, begin(mortal, journal, patience_s=30), 2)
    assert ended is None
    assert Counter(status for status, _ in found.values()) == Counter(ok=40, quarantined=1)


def test_retry_failed_sends_a_quarantined_call_again(mortal: Server, journal: Path) -> None:
    restarted(mortal, begin(mortal, journal, patience_s=30), 2)
    mortal.set_faults([])  # whoever runs the server has mended it
    n_before = mortal.stats()["received"]
    found, ended = live(mortal, journal, retries=True)
    assert (ended, found["Document 5. poison?"]) == (None, ["ok", 1])
    assert {status for status, _ in found.values()} == {"ok"}
    assert mortal.stats()["received"] == n_before + 1  # what was answered is not asked again


def test_a_killed_process_leaves_nothing_that_holds_the_next_one_up(
    tmp_path: Path, journal: Path
) -> None:
    with serving(faults=[{"kind": "hang"}]) as server:
        life = begin(server, journal)
        while server.stats()["in_flight"] < 8:
            assert life.poll() is None
            time.sleep(0.02)
        life.send_signal(signal.SIGKILL)
        life.communicate()
        server.set_faults([])
        found, ended = live(server, journal)
        assert ended is None
        assert Counter(status for status, _ in found.values()) == Counter(ok=41)
