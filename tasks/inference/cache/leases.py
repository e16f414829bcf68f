"""Leases: which of the processes that share a log asks a model, so that no two pay for one answer.

A lease is an object below `_ledger/leases/`. It is taken by creating or replacing it on condition that it is what was
read, renewed by a thread, and void when it has not changed for `LENGTH_S` on the clock of whoever looks at it: no two
clocks are compared. Its holder sends nothing once it has not renewed it for three quarters of that, so it has stopped
before anyone else may begin; what it has in flight then is what two may pay for. A holder on the same machine that
was killed is known to be dead at once, by the lock of its process (`tasks.inference.cache.claims`), where it is sure that this is the
same machine: a folder with a copy of the log may have been copied to another.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import orjson

from tasks.core.cancellation import Stopped, stop_requested
from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.inference.cache.claims import Claims
from tasks.inference.cache.turns import TurnLost
from tasks.lake.objects import LakeError, NoSuchObject, Objects

LENGTH_S = 20.0
_SURE = 0.75  # for so much of it a holder relies on a lease that it renewed
_RENEWED = 0.2  # it is renewed when so much of it is over
_IDLE_S = 2.0  # so long one that nobody uses is kept: a step asks a model many times in a row
_ASK_S = 1.0  # how often one that another holds is looked at
_HOLDER = ("machine", "process", "host", "pid")
_FREE = b'{"holder": null}\n'
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(eq=False, slots=True)
class Lease:
    """A lease that this process has, or had."""

    model: str
    key: str
    content: bytes  # as it was last seen there
    confirmed_at: float  # when a write that succeeded began
    tried: bytes = b""  # what was written since without being confirmed
    n_users: int = 1
    idle_since: float = 0.0
    loss: str | None = None  # how it was lost

    def is_sure(self) -> bool:
        """Whether nobody else can have it at this moment.

        Raises:
            TurnLost: somebody else may have, for good.
        """
        if self.loss is not None:
            raise TurnLost(f"{self.loss}; run the same command to go on")
        return clock() - self.confirmed_at < _SURE * LENGTH_S


@dataclass(frozen=True, slots=True)
class _Seen:
    """A lease of others, and since when it has been like this."""

    version: str
    since: float


class Leases:
    """The leases of one lake, as one process sees them.

    Args:
        claims: of this process; while it lives, others on the machine can see that it does.
            The folder of their file must be there.
        copy: the name of the copy of the log beside them.
    """

    def __init__(self, objects: Objects, claims: Claims, copy: str) -> None:
        self.objects = objects
        self.claims = claims
        self.machine = _machine(copy, claims.path.parent)
        self._held: dict[str, Lease] = {}
        self._seen: dict[str, _Seen] = {}
        self._lock = threading.Lock()  # held while the storage is asked: a wait for it may be long
        self._n_written = count(1)
        self._closing = threading.Event()
        self._renewing: threading.Thread | None = None

    def take(self, model: str, identity: str) -> Lease | str:
        """The lease on a model, until `end`; where another process has it, who that is.

        Args:
            identity: what the model's answers depend on: two names may mean one.

        Raises:
            LakeError: the storage cannot be reached.
        """
        key = f"_ledger/leases/{stable_id('lease', identity)}.json"
        with self._lock:
            held = self._held.get(key)
            if held is not None and held.loss is None:
                held.n_users += 1
                return held
            taken = Lease(model, key, self._content(model), clock())
            other = self._other(taken)
            if other is not None:
                return other
            self._held[key] = taken
            if self._renewing is None:
                self._renewing = threading.Thread(target=self._renew_all, name="leases", daemon=True)
                self._renewing.start()
            return taken

    def end(self, lease: Lease) -> None:
        """Give up what one `take` has taken."""
        lease.n_users -= 1
        lease.idle_since = clock()

    def renew(self) -> None:
        """Renew the leases that are used, and let the others go; a thread does this often enough."""
        with self._lock:
            held = [lease for lease in self._held.values() if lease.loss is None]
        for lease in held:
            with self._lock:
                self._keep(lease)

    def close(self) -> None:
        """Give all leases up."""
        self._closing.set()
        if self._renewing is not None:
            self._renewing.join()
        with self._lock:
            for lease in list(self._held.values()):
                try:
                    self._let_go(lease)
                except LakeError as failing:
                    tell(f"others can ask {lease.model} in {LENGTH_S:.0f} s only: {failing}")

    # --- taking

    def _other(self, taken: Lease) -> str | None:
        """Try to take a lease; who has it, if that is another."""
        try:
            now, version = self.objects.read_versioned(taken.key)
        except NoSuchObject:
            is_ours = self.objects.create(taken.key, taken.content)
        else:
            if not self._is_void(taken.key, now, version):
                return self._name(taken.key, now)
            is_ours = self.objects.replace(taken.key, taken.content, version)
        if not is_ours:
            now = self.objects.read(taken.key)
            if now != taken.content:  # else it was done, and seemed to have failed
                return self._name(taken.key, now)
        self._seen.pop(taken.key, None)
        return None

    def _is_void(self, key: str, content: bytes, version: str) -> bool:
        holder = self._holder(key, content)
        if holder is None or (holder["machine"] == self.machine and self._is_gone(holder["process"])):
            return True
        seen = self._seen.get(key)
        if seen is None or seen.version != version:
            self._seen[key] = _Seen(version, clock())
            return False
        return clock() - seen.since > LENGTH_S

    def _is_gone(self, process: str) -> bool:
        """Whether a process of this machine was killed, or is this one, whose taking seemed to have failed."""
        return process == self.claims.owner or self.claims.is_dead(process)

    def _content(self, model: str) -> bytes:
        """What nobody else writes, and this process once."""
        holder = dict(
            zip(_HOLDER, (self.machine, self.claims.owner, socket.gethostname(), os.getpid()), strict=True)
        )
        lease = {"holder": holder, "model": model, "n": next(self._n_written)}
        return orjson.dumps(lease, option=orjson.OPT_APPEND_NEWLINE)

    # --- keeping

    def _renew_all(self) -> None:
        try:
            while not self._closing.wait(_RENEWED * LENGTH_S):
                self.renew()
        except BaseException as error:  # nobody must wait for what will not come
            for lease in self._held.values():
                lease.loss = f"the lease on {lease.model} is not renewed any more: {error!r}"
            raise

    def _keep(self, lease: Lease) -> None:
        """Renew a lease, or let it go if nobody uses it."""
        try:
            if not lease.n_users and clock() - lease.idle_since > _IDLE_S:
                self._let_go(lease)
            else:
                self._renew(lease)
        except LakeError as failing:
            if clock() - lease.confirmed_at > _SURE * LENGTH_S:
                tell(f"calls to {lease.model} wait until the lease on it can be renewed: {failing}")

    def _renew(self, lease: Lease) -> None:
        began, content = clock(), self._content(lease.model)
        try:
            now, version = self.objects.read_versioned(lease.key)
        except NoSuchObject:
            lease.loss = f"somebody has deleted the lease on {lease.model}, {lease.key} in {self.objects.url}"
            return
        if now not in (lease.content, lease.tried):
            lease.loss = (
                f"{self._name(lease.key, now)} has taken over asking {lease.model}: the lease on it could not be renewed "
                f"from here for {LENGTH_S:.0f} s"
            )
            return
        lease.content, lease.tried = now, content
        if self.objects.replace(lease.key, content, version):
            lease.content, lease.confirmed_at = content, began

    def _let_go(self, lease: Lease) -> None:
        del self._held[lease.key]
        try:
            now, version = self.objects.read_versioned(lease.key)
        except NoSuchObject:
            return
        if now in (lease.content, lease.tried):
            self.objects.replace(lease.key, _FREE, version)

    # --- what a lease says

    def _holder(self, key: str, content: bytes) -> dict[str, Any] | None:
        try:
            holder = orjson.loads(content)["holder"]
            return None if holder is None else {name: holder[name] for name in _HOLDER}
        except (ValueError, TypeError, KeyError) as damaged:
            raise LakeError(
                f"the lease {key} in {self.objects.url} is damaged ({damaged!r}); delete it when nobody runs tenkbench on "
                "this lake"
            ) from damaged

    def _name(self, key: str, content: bytes) -> str:
        holder = self._holder(key, content)
        return "nobody" if holder is None else f"process {holder['pid']} on {holder['host']}"


class LeasedTurn:
    """A turn that is taken by a lease (`tasks.inference.cache.turns.Turn`).

    Args:
        leases: gives this process's; asked when the turn is taken.
        catch_up: brings what others have bought.
    """

    def __init__(
        self, leases: Callable[[], Leases], model: str, identity: str, catch_up: Callable[[], None]
    ) -> None:
        self.model = model
        self.identity = identity
        self._leases = leases
        self._catch_up = catch_up
        self._taking = asyncio.Lock()
        self._ending = threading.Lock()
        self._is_over = False
        self._give_up: Callable[[], None] | None = None
        self._lease: Lease | None = None

    @property
    def is_taken(self) -> bool:
        """Whether there is nothing to wait for."""
        return self._lease is not None

    async def take(self) -> None:
        """Wait for the lease, then read what others have bought until now."""
        async with self._taking:
            other = None
            while self._lease is None:
                taken = await asyncio.to_thread(self._try)
                if isinstance(taken, Lease):
                    await asyncio.to_thread(self._catch_up)
                    self._lease = taken
                    return
                if taken != other:
                    other = taken
                    tell(f"{taken} is asking {self.model}; waiting until it is done, or gone")
                if stop_requested():
                    raise Stopped(
                        f"stopped while {taken} was asking {self.model}; run the same command to go on"
                    )
                await asyncio.sleep(_ASK_S)

    def may_send(self) -> bool:
        """Whether it is sure that nobody else has the lease."""
        return self._lease is not None and self._lease.is_sure()

    def end(self) -> None:
        """Give the lease up, if it was taken; also where whoever was taking it has gone meanwhile."""
        with self._ending:
            self._is_over = True
            if self._give_up is not None:
                self._give_up()

    def _try(self) -> Lease | str:
        leases = self._leases()
        taken = leases.take(self.model, self.identity)
        if isinstance(taken, Lease):
            with self._ending:
                if self._is_over:
                    leases.end(taken)
                else:
                    self._give_up = lambda: leases.end(taken)
        return taken


def _machine(copy: str, folder: Path) -> str:
    """What two processes have in common only if each sees the locks of the other's: a folder, on a machine that runs.

    The copy's name is not enough, nor its folder's: images and snapshots of machines have both.
    """
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
    except OSError:  # not on Linux: nobody is known to be on the same machine, and all wait for a lease's end
        boot = secrets.token_hex(16)
    seen = folder.stat()
    return f"{copy} {socket.gethostname()} {boot} {seen.st_dev}:{seen.st_ino}"


def clock() -> float:
    """Seconds on a clock that goes on while the machine sleeps, where it has one: nobody else waits for it to wake."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
