"""Leases: two processes never both hold one, and a dead process does not hold it for long."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.core import cancellation
from tasks.core.cancellation import Stopped
from tasks.core.progress import hearing
from tasks.lake import lease as lease_module
from tasks.lake.lease import LENGTH_S, Lease, LeaseLost, ObjectLease, lease_on
from tasks.lake.objects import LakeError, open_objects
from tests.objects_in_memory import ObjectsInMemory

KEY = "_ledger/leases/one.json"


class Clock:
    """All machines' clock; a test moves it on."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(lease_module, "clock", clock)
    return clock


@pytest.fixture
def storage() -> ObjectsInMemory:
    return ObjectsInMemory()


@pytest.fixture
def process(storage: ObjectsInMemory) -> Iterator[Callable[[], ObjectLease]]:
    """The lease on a model `m` as one more process sees it."""
    made: list[ObjectLease] = []

    def start() -> ObjectLease:
        made.append(ObjectLease(storage, KEY, "m"))
        return made[-1]

    yield start
    storage.fault = lambda method, key: None
    for lease in made:
        lease.release()


def test_a_holder_stops_sending_before_another_takes_over(
    process: Callable[[], ObjectLease], clock: Clock
) -> None:
    here, there = process(), process()
    here._try()
    taken_over_after = unsure_after = None
    for second in range(60):
        if unsure_after is None and not here.may_send():
            unsure_after = second
        if taken_over_after is None and there._try() is None:
            taken_over_after = second
        clock.now += 1
    assert unsure_after is not None
    assert taken_over_after is not None
    assert unsure_after + 4 < taken_over_after <= LENGTH_S + 2


def test_who_was_taken_over_is_told_and_may_not_send(
    process: Callable[[], ObjectLease], clock: Clock
) -> None:
    here, there = process(), process()
    here._try()
    there._try()
    clock.now += LENGTH_S + 1
    assert there._try() is None
    assert not here.may_send()  # also before it hears of it
    here.renew()
    with pytest.raises(
        LeaseLost, match=r"process \d+ on .* has taken over m: .* run the same command"
    ):
        here.may_send()
    here.release()
    assert process()._try() is not None  # the new holder's lease is left alone


@pytest.mark.parametrize("outcome", ["fails", "seems to fail"])
def test_storage_that_fails_once_costs_no_lease(
    process: Callable[[], ObjectLease], storage: ObjectsInMemory, clock: Clock, outcome: str
) -> None:
    here, there = process(), process()
    here._try()
    for _ in range(3):
        storage.fault = lambda method, key: outcome if method == "replace" else None
        clock.now += 4
        here.renew()
        storage.fault = lambda method, key: None
        clock.now += 4
        here.renew()
        assert here.may_send()
        assert there._try() is not None


@pytest.mark.parametrize("method", ["create", "replace"])
def test_a_lease_whose_taking_seemed_to_fail_is_had_by_the_next_try(
    process: Callable[[], ObjectLease], storage: ObjectsInMemory, method: str
) -> None:
    here, there = process(), process()
    if method == "replace":
        there._try()
        there.release()
    storage.fault = lambda asked, key: "seems to fail" if asked == method else None
    with pytest.raises(LakeError):
        here._try()
    storage.fault = lambda asked, key: None
    assert here._try() is None
    assert here.may_send()


# --- waiting -------------------------------------------------------------------------------


@pytest.fixture(params=["folder", "s3"])
def made(
    request: pytest.FixtureRequest, tmp_path: Path, process: Callable[[], ObjectLease]
) -> Callable[[], Lease]:
    """Leases on one thing, of either kind of lake; nobody waits long between two looks."""

    def lease() -> Lease:
        made = (
            process()
            if request.param == "s3"
            else lease_on(open_objects(str(tmp_path / "lake")), "m", "identity")
        )
        made._look_s = 0.001
        return made

    return lease


def test_who_waits_is_told_for_whom_and_goes_on_when_it_is_released(
    made: Callable[[], Lease],
) -> None:
    first, second = made(), made()
    told: list[str] = []

    async def wait() -> None:
        await first.take()
        waiting = asyncio.create_task(second.take())
        while not told:
            await asyncio.sleep(0.001)
        assert not second.may_send()
        first.release()
        await waiting
        assert second.may_send()
        second.release()

    with hearing(told.append):
        asyncio.run(wait())
    assert len(told) == 1
    assert told[0].endswith("is using m; waiting until it is done")


def test_who_waits_heeds_a_request_to_stop(made: Callable[[], Lease]) -> None:
    first = made()
    asyncio.run(first.take())
    cancellation.request_stop()
    try:
        with pytest.raises(Stopped, match="was using m; run the same command"):
            asyncio.run(made().take())
    finally:
        cancellation.withdraw_stop()
        first.release()


def test_a_taker_that_was_cancelled_keeps_no_lease(
    process: Callable[[], ObjectLease], storage: ObjectsInMemory
) -> None:
    here = process()
    asks, may_answer = threading.Event(), threading.Event()

    def late(method: str, key: str) -> None:
        asks.set()
        assert may_answer.wait(60)

    storage.fault = late

    async def impatient() -> None:
        taking = asyncio.create_task(here.take())
        assert await asyncio.to_thread(asks.wait, 60)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        may_answer.set()
        here.release()

    asyncio.run(impatient())  # waits for its threads
    storage.fault = lambda method, key: None
    assert process()._try() is None


# --- processes -----------------------------------------------------------------------------

HOLDS = """
import asyncio, sys
from tasks.lake import lease
from tasks.lake.objects import open_objects

lease.LENGTH_S = float(sys.argv[2])
held = lease.lease_on(open_objects(sys.argv[1]), "m", "identity")
asyncio.run(held.take())
print("taken", flush=True)
sys.stdin.read()
"""


def holding(lake: str, length_s: float) -> subprocess.Popen[str]:
    """A process that holds the lease of a lake."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, lake, str(length_s)],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_the_lease_of_a_killed_holder_in_s3_is_void_after_its_length_on_the_waiters_clock(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_module, "LENGTH_S", 2.0)
    monkeypatch.setitem(lease_module._LOOK_S, "s3", 0.05)
    holder = holding(f"{bucket}/lake", 2.0)
    waiter = lease_on(open_objects(f"{bucket}/lake"), "m", "identity")
    assert isinstance(waiter, ObjectLease)
    taken = waiter.objects.read(waiter.key)
    until = time.monotonic() + 60
    while waiter.objects.read(waiter.key) == taken:
        assert time.monotonic() < until, "it is not renewed"
        time.sleep(0.05)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    first_seen_at = lease_module.clock()
    assert waiter._try() == f"process {holder.pid} on {os.uname().nodename}"
    asyncio.run(waiter.take())
    assert 2.0 < lease_module.clock() - first_seen_at < 60.0
    assert waiter.may_send()
    waiter.release()


def test_the_lease_of_a_killed_holder_in_a_folder_is_free_at_once(tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    holder = holding(lake, LENGTH_S)
    waiter = lease_on(open_objects(lake), "m", "identity")
    assert waiter._try() == "another run on this machine"
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert waiter._try() is None
    waiter.release()


def test_a_lease_that_somebody_deleted_is_lost(
    process: Callable[[], ObjectLease], storage: ObjectsInMemory
) -> None:
    here = process()
    here._try()
    storage.contents.clear()
    here.renew()
    with pytest.raises(LeaseLost, match=f"there is no {KEY} in s3://memory/lake"):
        here.may_send()


def test_storage_that_fails_for_long_makes_a_holder_wait_not_fail(
    process: Callable[[], ObjectLease], storage: ObjectsInMemory, clock: Clock
) -> None:
    here = process()
    here._try()
    told: list[str] = []
    storage.fault = lambda method, key: "fails"
    with hearing(told.append):
        for _ in range(5):
            clock.now += 4
            here.renew()
    assert not here.may_send()
    assert "calls to m wait until the lease on it can be renewed: 503" in told[0]
    storage.fault = lambda method, key: None
    here.renew()
    assert here.may_send()


def test_a_lease_that_nobody_renews_any_more_ends_the_run(
    process: Callable[[], ObjectLease], monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks() -> None:
        raise ZeroDivisionError("a slip of ours")

    monkeypatch.setattr(threading, "excepthook", lambda raised: None)
    monkeypatch.setattr(lease_module, "_RENEWED", 0.0)
    here = process()
    monkeypatch.setattr(here, "renew", breaks)
    here._try()
    assert here._renewing is not None
    here._renewing.join()
    with pytest.raises(LeaseLost, match="no longer renewed: ZeroDivisionError"):
        here.may_send()
