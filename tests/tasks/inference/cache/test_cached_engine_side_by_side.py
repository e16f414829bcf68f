"""Runs side by side on one lake share the work: what one has claimed, the others wait for or take over."""

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
from tasks.core.rows import Response
from tasks.inference.cache import cached_engine as ledger_module
from tasks.inference.cache.cached_engine import Ledger
from tasks.inference.cache.response_cache import Journal
from tasks.inference.operation import PRIME, Call, grouped
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


def test_what_another_run_has_claimed_is_waited_for_with_its_primer(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(journal_path), Journal(journal_path)
    mine, yours = Sending(echo, in_flight=1, seed=1), Sending(echo, in_flight=1, seed=2)
    both: dict[str, Asked] = {"mine": [], "yours": []}

    async def run(name: str, engine: Sending, journal: Journal) -> None:
        async def settle(call: Call, response: Response) -> None:
            both[name].append((call, response))

        await Ledger(engine, journal, primes=True).answer(grouped(rendered(FIVE)), settle)

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


def test_the_claims_of_a_run_that_failed_are_taken_over_and_primed(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(journal_path), Journal(journal_path)
    theirs.claim([call.request.key or "" for call in rendered(FIVE)])
    engine = Scripted(echo, identity="m1")
    settled: Asked = []

    async def settle(call: Call, response: Response) -> None:
        settled.append((call, response))

    async def together() -> None:
        run = asyncio.create_task(Ledger(engine, ours, primes=True).answer(grouped(rendered(FIVE)), settle))
        await asyncio.sleep(0.05)
        assert not run.done()
        assert engine.calls == []
        theirs.close()
        await run

    asyncio.run(together())
    assert Counter(sent(engine)) == {PRIME: 2, **{question.subject_id: 1 for question in FIVE}}
    assert len(settled) == 7
    ours.close()


CLAIMS_AND_IS_KILLED = """
import os, signal, sys
from pathlib import Path
from tasks.inference.cache.response_cache import Journal

kept = Journal(Path(sys.argv[1]))
assert len(kept.claim(sys.argv[2:])) == len(sys.argv[2:])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_claims_of_a_killed_run_hold_nobody_up(journal: Journal, journal_path: Path) -> None:
    keys = [call.request.key or "" for call in rendered(FIVE)]
    killed = subprocess.run(
        [sys.executable, "-c", CLAIMS_AND_IS_KILLED, str(journal_path), *keys],
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
    )
    assert killed.returncode == -signal.SIGKILL
    engine = Scripted(echo, identity="m1")
    assert len(texts(answered(Ledger(engine, journal), FIVE))) == 5
    assert len(engine.calls) == 5


def test_a_run_that_waits_for_another_can_be_stopped(
    journal_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_LOOK_AGAIN_S", 0.001)
    ours, theirs = Journal(journal_path), Journal(journal_path)
    theirs.claim([call.request.key or "" for call in rendered(FIVE)])
    request_stop()
    try:
        with pytest.raises(Stopped, match="another run was asking 5 of this run's calls"):
            answered(Ledger(Scripted(echo, identity="m1"), ours), FIVE)
    finally:
        withdraw_stop()
        ours.close()
        theirs.close()
