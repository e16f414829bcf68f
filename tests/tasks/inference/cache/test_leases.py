"""Leases: at no moment do two processes think that they may ask a model, and a dead one does not keep it for long."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tasks.core import cancellation
from tasks.core.cancellation import Stopped
from tasks.core.progress import hearing
from tasks.inference.cache import leases as leases_module
from tasks.inference.cache.claims import Claims
from tasks.inference.cache.leases import LENGTH_S, Lease, LeasedTurn, Leases
from tasks.inference.cache.turns import TurnLost
from tasks.lake.objects import LakeError
from tests.objects_in_memory import ObjectsInMemory


class Clock:
    """All machines' clock; a test moves it on."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(leases_module, "clock", clock)
    return clock


@pytest.fixture
def storage() -> ObjectsInMemory:
    return ObjectsInMemory()


@pytest.fixture
def process(storage: ObjectsInMemory, tmp_path: Path, clock: Clock) -> Iterator[Callable[[str], Leases]]:
    """The leases as a process on a machine of some name sees them."""
    claims: list[Claims] = []
    made: list[Leases] = []

    def start(machine: str) -> Leases:
        claims.append(Claims(tmp_path / machine / "claims.sqlite"))
        claims[-1].live()
        made.append(Leases(storage, claims[-1], machine))
        return made[-1]

    yield start
    storage.fault = lambda method, key: None
    for leases, held in zip(made, claims, strict=True):
        leases.close()
        held.close()


def held(taken: Lease | str) -> Lease:
    assert isinstance(taken, Lease), taken
    return taken


def test_one_process_has_a_model_and_others_are_told_who(process: Callable[[str], Leases]) -> None:
    here, there = process("a"), process("b")
    assert held(here.take("m", "m1")).is_sure()
    other = there.take("m", "m1")
    assert isinstance(other, str)
    assert other.startswith("process ")
    assert held(there.take("another", "m2")).is_sure()
    assert isinstance(process("a").take("m", "m1"), str)  # another process of the same machine waits as well


def test_two_names_of_one_model_are_one(process: Callable[[str], Leases]) -> None:
    assert held(process("a").take("m", "same")).is_sure()
    assert isinstance(process("b").take("nickname", "same"), str)


def test_a_process_takes_what_it_has_again_and_others_get_it_when_all_is_given_up(
    process: Callable[[str], Leases], clock: Clock
) -> None:
    here, there = process("a"), process("b")
    first, second = held(here.take("m", "m1")), held(here.take("m", "m1"))
    here.end(first)
    clock.now += 5
    here.renew()
    assert isinstance(there.take("m", "m1"), str)
    here.end(second)
    here.renew()
    assert isinstance(there.take("m", "m1"), str)  # the next calls of the same step may come at once
    clock.now += 5
    here.renew()
    assert held(there.take("m", "m1")).is_sure()


def test_a_process_that_ends_gives_its_leases_up(process: Callable[[str], Leases]) -> None:
    here, there = process("a"), process("b")
    here.take("m", "m1")
    here.close()
    assert held(there.take("m", "m1")).is_sure()


def test_a_lease_that_is_renewed_stays(process: Callable[[str], Leases], clock: Clock) -> None:
    here, there = process("a"), process("b")
    lease = held(here.take("m", "m1"))
    for _ in range(20):
        clock.now += LENGTH_S / 4
        here.renew()
        assert isinstance(there.take("m", "m1"), str)
        assert lease.is_sure()


def test_a_holder_is_unsure_before_another_may_take_over(
    process: Callable[[str], Leases], clock: Clock
) -> None:
    here, there = process("a"), process("b")
    lease = held(here.take("m", "m1"))
    taken_over_after = unsure_after = None
    for second in range(60):
        if unsure_after is None and not lease.is_sure():
            unsure_after = second
        if taken_over_after is None and isinstance(there.take("m", "m1"), Lease):
            taken_over_after = second
        clock.now += 1
    assert unsure_after is not None
    assert taken_over_after is not None
    assert unsure_after + 4 < taken_over_after <= LENGTH_S + 2


def test_who_was_taken_over_is_told_and_may_not_send(process: Callable[[str], Leases], clock: Clock) -> None:
    here, there = process("a"), process("b")
    lease = held(here.take("m", "m1"))
    there.take("m", "m1")
    clock.now += LENGTH_S + 1
    assert held(there.take("m", "m1")).is_sure()
    assert not lease.is_sure()  # also before it hears of it
    here.renew()
    with pytest.raises(TurnLost, match=r"process \d+ on .* has taken over asking m: .* run the same command"):
        lease.is_sure()
    assert isinstance(here.take("m", "m1"), str)
    here.end(lease)


def test_a_lease_that_somebody_deleted_is_lost(
    process: Callable[[str], Leases], storage: ObjectsInMemory
) -> None:
    here = process("a")
    lease = held(here.take("m", "m1"))
    storage.contents.clear()
    here.renew()
    with pytest.raises(
        TurnLost,
        match=r"somebody has deleted the lease on m, _ledger/leases/lease-.*\.json in s3://memory/lake",
    ):
        lease.is_sure()


def test_a_holder_on_the_same_machine_that_was_killed_is_followed_at_once(
    process: Callable[[str], Leases], tmp_path: Path
) -> None:
    killed = process("a")
    killed.take("m", "m1")
    assert isinstance(process("a").take("m", "m1"), str)
    killed.claims.close()  # as its death would
    assert isinstance(process("b").take("m", "m1"), str)
    assert held(process("a").take("m", "m1")).is_sure()


@pytest.mark.parametrize("differs", ["folder", "host", "boot", "no boot is known"])
def test_a_copied_folder_makes_two_machines_no_one(
    storage: ObjectsInMemory, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, differs: str
) -> None:
    boot = tmp_path / "boot_id"
    boot.write_text("1\n")
    monkeypatch.setattr(leases_module, "_BOOT_ID", boot)
    first, second = Claims(tmp_path / "a" / "claims.sqlite"), Claims(tmp_path / "b" / "claims.sqlite")
    first.live()
    here = Leases(storage, first, "one name")
    lease = held(here.take("m", "m1"))
    if differs == "host":
        monkeypatch.setattr(socket, "gethostname", lambda: "another")
    elif differs == "boot":
        boot.write_text("2\n")
    elif differs == "no boot is known":
        monkeypatch.setattr(leases_module, "_BOOT_ID", tmp_path / "none")
    if (
        differs != "folder"
    ):  # a machine from an image has the folder itself, too, but not the lock of who lives elsewhere
        second = Claims(first.path)
        first._lock_file(first.owner).unlink()
    second.live()
    there = Leases(storage, second, "one name")
    assert isinstance(there.take("m", "m1"), str)
    assert lease.is_sure()
    clock.now += LENGTH_S + 1
    assert held(there.take("m", "m1")).is_sure()
    assert not lease.is_sure()
    for leases in (here, there):
        leases.close()
        leases.claims.close()


@pytest.mark.parametrize("outcome", ["fails", "seems to fail"])
def test_storage_that_fails_once_costs_no_lease(
    process: Callable[[str], Leases], storage: ObjectsInMemory, clock: Clock, outcome: str
) -> None:
    here, there = process("a"), process("b")
    lease = held(here.take("m", "m1"))
    for _ in range(3):
        storage.fault = lambda method, key: outcome if method == "replace" else None
        clock.now += 4
        here.renew()
        storage.fault = lambda method, key: None
        clock.now += 4
        here.renew()
        assert lease.is_sure()
        assert isinstance(there.take("m", "m1"), str)


def test_storage_that_fails_for_long_makes_a_holder_wait_not_fail(
    process: Callable[[str], Leases], storage: ObjectsInMemory, clock: Clock
) -> None:
    here = process("a")
    lease = held(here.take("m", "m1"))
    told: list[str] = []
    storage.fault = lambda method, key: "fails"
    with hearing(told.append):
        for _ in range(5):
            clock.now += 4
            here.renew()
    assert not lease.is_sure()
    assert "calls to m wait until the lease on it can be renewed: 503" in told[0]
    storage.fault = lambda method, key: None
    here.renew()
    assert lease.is_sure()


@pytest.mark.parametrize("method", ["create", "replace"])
def test_a_lease_whose_taking_seemed_to_fail_is_had_by_the_next_try(
    process: Callable[[str], Leases], storage: ObjectsInMemory, clock: Clock, method: str
) -> None:
    here, there = process("a"), process("b")
    if method == "replace":
        there.take("m", "m1")
        there.close()
    storage.fault = lambda asked, key: "seems to fail" if asked == method else None
    with pytest.raises(LakeError):
        here.take("m", "m1")
    storage.fault = lambda asked, key: None
    assert held(here.take("m", "m1")).is_sure()


@pytest.mark.parametrize("content", [b"", b"null", b'{"holder": {"machine": "a"}}'])
def test_a_damaged_lease_is_named(
    process: Callable[[str], Leases], storage: ObjectsInMemory, content: bytes
) -> None:
    here, there = process("a"), process("b")
    lease = held(here.take("m", "m1"))
    (key,) = storage.contents
    storage.contents[key] = content
    with pytest.raises(LakeError, match=r"_ledger/leases/lease-.*\.json in s3://memory/lake is damaged"):
        there.take("m", "m1")
    here.renew()  # what is wrong is told when it has to wait for it
    assert lease.is_sure()


def test_a_lease_that_nobody_renews_any_more_ends_the_run(
    process: Callable[[str], Leases], storage: ObjectsInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks() -> None:
        raise ZeroDivisionError("a slip of ours")

    monkeypatch.setattr(threading, "excepthook", lambda raised: None)
    monkeypatch.setattr(leases_module, "_RENEWED", 0.0)
    here = process("a")
    monkeypatch.setattr(here, "renew", breaks)
    lease = held(here.take("m", "m1"))
    assert here._renewing is not None
    here._renewing.join()
    with pytest.raises(TurnLost, match="not renewed any more: ZeroDivisionError"):
        lease.is_sure()


# --- turns ---------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "_ASK_S", 0.001)


def turn(leases: Leases, caught_up: Callable[[], None] = lambda: None) -> LeasedTurn:
    return LeasedTurn(lambda: leases, "m", "m1", caught_up)


@pytest.mark.usefixtures("at_once")
def test_who_waits_is_told_for_whom_and_catches_up_before_it_sends(process: Callable[[str], Leases]) -> None:
    here, there = process("a"), process("b")
    told: list[str] = []
    caught_up = count()

    async def wait() -> None:
        first = turn(here)
        await first.take()
        second = turn(there, lambda: next(caught_up) and None)
        waiting = [asyncio.create_task(second.take()) for _ in range(3)]  # groups of one trip
        while not told:
            await asyncio.sleep(0)
        assert not second.is_taken
        assert not second.may_send()
        first.end()
        here.close()
        await asyncio.gather(*waiting)
        assert second.is_taken
        assert second.may_send()
        second.end()

    with hearing(told.append):
        asyncio.run(wait())
    assert len(told) == 1
    assert told[0].startswith("process ")
    assert "is asking m; waiting" in told[0]
    assert next(caught_up) == 1


@pytest.mark.usefixtures("at_once")
def test_who_waits_heeds_a_request_to_stop(process: Callable[[str], Leases]) -> None:
    here, there = process("a"), process("b")
    here.take("m", "m1")
    cancellation.request_stop()
    try:
        with pytest.raises(Stopped, match="was asking m; run the same command"):
            asyncio.run(turn(there).take())
    finally:
        cancellation.withdraw_stop()


def test_a_turn_whose_taker_was_cancelled_keeps_no_lease(
    process: Callable[[str], Leases], storage: ObjectsInMemory
) -> None:
    here = process("a")
    storage.latency_s = 0.05

    async def impatient() -> None:
        one = turn(here)
        taking = asyncio.create_task(one.take())
        await asyncio.sleep(0.01)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        one.end()

    asyncio.run(impatient())  # waits for its threads
    (lease,) = here._held.values()
    assert lease.n_users == 0


def test_what_cannot_be_caught_up_with_is_not_sent(process: Callable[[str], Leases]) -> None:
    def fails() -> None:
        raise LakeError("503")

    one = turn(process("a"), fails)
    with pytest.raises(LakeError):
        asyncio.run(one.take())
    assert not one.is_taken
    one.end()
