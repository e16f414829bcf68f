"""Runs side by side on one lake: one asks a model, the others wait and find its answers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tasks.core.cancellation import Stopped, request_stop, withdraw_stop
from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import PRIME, grouped
from tasks.lake import lease as lease_module
from tests.kept import (
    FIVE,
    Asked,
    Sending,
    answered,
    assert_primers_come_before_their_calls,
    echo,
    rendered,
    sent,
    texts,
)
from tests.scripted import Scripted


def test_what_another_run_asks_is_waited_for_with_its_primer(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(lease_module._LOOK_S, "folder", 0.001)
    ours, theirs = ResponseCache(journal_path), ResponseCache(journal_path)
    mine, yours = Sending(echo, in_flight=1, seed=1), Sending(echo, in_flight=1, seed=2)
    both: dict[str, Asked] = {"mine": [], "yours": []}

    async def run(name: str, engine: Sending, journal: ResponseCache) -> None:
        async for answer in Client(engine, journal, primes=True).stream(grouped(rendered(FIVE))):
            both[name].append(answer)

    async def together() -> None:
        await asyncio.gather(run("mine", mine, ours), run("yours", yours, theirs))

    asyncio.run(together())
    assert sorted(both["mine"], key=repr) == sorted(both["yours"], key=repr)
    times = Counter(name for name in [*sent(mine), *sent(yours)] if name != PRIME)
    assert times == {question.subject_id: 1 for question in FIVE}
    for settled in both.values():
        assert len(settled) == 7
        assert_primers_come_before_their_calls(settled)
    ours.close()
    theirs.close()


HOLDS_AND_IS_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tasks.inference.cache.response_cache import ResponseCache

asyncio.run(ResponseCache(Path(sys.argv[1])).lease("scripted", "m1").take())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_lease_of_a_killed_run_holds_nobody_up(
    journal: ResponseCache, journal_path: Path
) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", HOLDS_AND_IS_KILLED, str(journal_path)],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    assert killed.returncode == -signal.SIGKILL
    engine = Scripted(echo, identity="m1")
    assert len(texts(answered(Client(engine, journal), FIVE))) == 5
    assert len(engine.calls) == 5


def test_a_run_that_waits_for_another_can_be_stopped(journal_path: Path) -> None:
    ours, theirs = ResponseCache(journal_path), ResponseCache(journal_path)
    held = theirs.lease("scripted", "m1")
    asyncio.run(held.take())
    request_stop()
    try:
        with pytest.raises(Stopped, match="another run on this machine was using scripted"):
            answered(Client(Scripted(echo, identity="m1"), ours), FIVE)
    finally:
        withdraw_stop()
        held.release()
        ours.close()
        theirs.close()
