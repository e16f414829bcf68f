"""A call that kills its server, over several lives of our process: found out, set aside, asked again when told to.

Real processes, a real server; whoever starts that again does so only after the run has given up.
"""

from __future__ import annotations

import asyncio
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

from tasks.inference.cache.response_cache import Journal
from tasks.inference.operation import Call
from tasks.models.catalogue import Model
from tests.calls import call_of, group_of
from tests.servers.serving import Server, serving

ROOT = Path(__file__).parents[4]
POISON = {"kind": "die", "match": "poison"}

# One life: the calls are asked through the lake's ledger, and what comes of them is said in one line.
LIFE = """
import asyncio, json, sys, time
from pathlib import Path
from tasks.inference.engines import load_engine
from tasks.core.errors import RunFailed
from tasks.inference.cache.response_cache import Journal
from tasks.inference.cache.cached_engine import Ledger
from tasks.inference.operation import grouped
from tests.tasks.inference.engines.test_quarantine import calls_to, row_of

url, journal, retries, patience_s = sys.argv[1:]
row, found = row_of(url, float(patience_s)), {}

async def settle(call, response):
    found[call.prompt] = [response.status, response.attempts]

ledger = Ledger(
    load_engine(row, {}), Journal(Path(journal)), failures_since=time.time() if retries == "retries" else None
)
ended = None
try:
    asyncio.run(ledger.answer(grouped(calls_to(row)), settle))
except RunFailed as failed:
    ended = str(failed)
print(json.dumps([found, ended]))
"""


def row_of(url: str, patience_s: float = 0.3) -> Model:
    return Model(
        name="local", engine="openai", description="", base_url=url, in_flight=8, patience_s=patience_s
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
    return subprocess.Popen([sys.executable, "-c", LIFE, *told], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def live(server: Server, journal: Path, *, retries: bool = False) -> tuple[dict[str, Any], str | None]:
    """A life until its end: (prompt -> status and attempts, what it said if it gave up)."""
    said, _ = begin(server, journal, retries=retries).communicate(timeout=60)
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
        call.request.prompt_sha256 for call in calls_to(row_of(server.url)) if "poison" in call.prompt
    )


def test_a_call_that_kills_its_server_is_found_out_over_three_lives_and_costs_two_servers(
    mortal: Server, journal: Path
) -> None:
    _, ended = live(mortal, journal)
    assert ended is not None
    assert "start it, then run the same command again" in ended
    mortal.start()
    _, ended = live(mortal, journal)  # it is sent once more
    assert ended is not None
    assert killer(mortal) in received(mortal, 2)
    mortal.start()
    found, ended = live(mortal, journal)
    assert ended is None
    assert Counter(status for status, _ in found.values()) == Counter(ok=40, quarantined=1)
    assert found["Document 5. poison?"][0] == "quarantined"
    assert killer(mortal) not in received(mortal, 3)


def test_what_may_have_killed_a_server_is_alone_in_the_next_life(mortal: Server, journal: Path) -> None:
    live(mortal, journal)
    first = set(received(mortal, 1))
    answered = {event["prompt"] for event in mortal.log() if event["event"] == "answered"}
    suspects = first - answered
    assert killer(mortal) in suspects
    at_first_death = len(mortal.log())
    mortal.start()
    live(mortal, journal)
    in_flight: set[str] = set()
    for event in mortal.log()[at_first_death:]:
        if event["event"] == "received":
            if event["prompt"] in suspects:
                assert not in_flight
                suspects.discard(event["prompt"])
            in_flight.add(event["prompt"])
        else:
            in_flight.discard(event["prompt"])
    assert killer(mortal) not in suspects  # it was sent, and the loop has seen it


def test_retry_failed_sends_a_quarantined_call_again(mortal: Server, journal: Path) -> None:
    earlier = Journal(journal)
    for _ in range(2):
        asyncio.run(earlier.add_deaths([call_of("Document 5.", " poison?", row_of(mortal.url)).key]))
    earlier.close()
    found, ended = live(mortal, journal)
    assert (ended, found["Document 5. poison?"]) == (None, ["quarantined", 0])
    mortal.set_faults([])  # whoever runs the server has mended it
    n_before = mortal.stats()["received"]
    found, ended = live(mortal, journal, retries=True)
    assert (ended, found["Document 5. poison?"]) == (None, ["ok", 1])
    assert {status for status, _ in found.values()} == {"ok"}
    assert mortal.stats()["received"] == n_before + 1  # what was answered is not asked again


def test_a_process_killed_while_its_server_is_gone_has_counted_the_death(
    mortal: Server, journal: Path
) -> None:
    life = begin(mortal, journal, patience_s=600)
    try:
        mortal.process.wait(timeout=30)
        events = Counter(event["event"] for event in mortal.log())
        n_in_flight = events["received"] - events["answered"]
        until = time.monotonic() + 20
        while len(counted := _deaths(journal, mortal)) < n_in_flight:
            assert life.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
    finally:
        life.send_signal(signal.SIGKILL)
        life.communicate()
    assert set(counted.values()) == {1}
    mortal.start()
    live(mortal, journal)  # it is sent once more
    assert killer(mortal) in received(mortal, 2)
    mortal.start()
    found, ended = live(mortal, journal)
    assert ended is None
    assert Counter(status for status, _ in found.values()) == Counter(ok=40, quarantined=1)
    assert killer(mortal) not in received(mortal, 3)


def test_a_killed_process_has_seen_no_server_die(tmp_path: Path, journal: Path) -> None:
    with serving(faults=[{"kind": "hang"}]) as server:
        life = begin(server, journal)
        while server.stats()["in_flight"] < 8:
            assert life.poll() is None
            time.sleep(0.02)
        life.send_signal(signal.SIGKILL)
        life.communicate()
        assert _deaths(journal, server) == {}
        server.set_faults([])
        found, ended = live(server, journal)
        assert ended is None
        assert Counter(status for status, _ in found.values()) == Counter(ok=41)


def _deaths(journal: Path, server: Server) -> dict[str, int]:
    opened = Journal(journal)
    found = opened.deaths([call.key for call in calls_to(row_of(server.url))])
    opened.close()
    return found
