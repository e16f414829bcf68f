"""Leases: one run at a time calls a model or downloads filings.

In a folder, a lease is a file lock, which the operating system releases when its process ends.

In S3, it is an object below `_ledger/leases/`, which its holder renews. It expires when a waiting
run has seen no change for `LENGTH_S` seconds on its own clock, so nobody compares two clocks. A
holder that cannot renew it stops sending after three quarters of that time.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from functools import cache
from itertools import count
from pathlib import Path

import orjson
from filelock import FileLock, Timeout

from tasks.core.cancellation import Stopped, stop_requested
from tasks.core.errors import RunFailed
from tasks.core.ids import stable_id
from tasks.core.progress import tell
from tasks.lake.objects import LakeError, NoSuchObject, Objects

LENGTH_S = 20.0
_SURE = 0.75  # share of the length for which a holder relies on its last renewal
_RENEWED = 0.2  # share of the length between two renewals
_LOOK_S = {"folder": 0.2, "s3": 1.0}  # seconds between two checks of a lease that another run holds

_FREE = b'{"holder": null}\n'


class LeaseLost(RunFailed):
    """Another run may hold the lease by now."""


def lease_on(objects: Objects, what: str, identity: str) -> Lease:
    """Return a lease on one model or download, not taken yet.

    `what` is its name in messages; two names may share an identity.
    """
    name = stable_id("lease", identity)
    if objects.url == str(objects.here):
        return FileLease(objects.here / "_ledger" / f"{name}.lock", what)
    return ObjectLease(objects, f"_ledger/leases/{name}.json", what)


class Lease(ABC):
    """The right to send requests to `what`; take it once, release it once."""

    def __init__(self, what: str, look_s: float) -> None:
        self.what = what
        self.is_taken = False
        self._look_s = look_s
        self._lock = threading.Lock()  # held during each try, so that a release waits for it
        self._is_over = False

    async def take(self) -> None:
        """Wait until no other run holds the lease, then take it."""
        tell_once = cache(tell)
        while (holder := await asyncio.to_thread(self._try)) is not None:
            tell_once(f"{holder} is using {self.what}; waiting until it is done")
            if stop_requested():
                raise Stopped(
                    f"stopped while {holder} was using {self.what}; run the same command to go on"
                )
            await asyncio.sleep(self._look_s)

    def may_send(self) -> bool:
        """Return whether we still hold the lease; raise `LeaseLost` if another run took over."""
        return self.is_taken

    def release(self) -> None:
        """Release the lease if it was taken, also after a cancelled `take`."""
        with self._lock:
            self._is_over = True
            if self.is_taken:
                self.is_taken = False
                self._give_up()

    def _try(self) -> str | None:
        """Try once; return the holder, or None if we hold the lease."""
        with self._lock:
            if self._is_over:
                return None
            holder = self._holder()
            self.is_taken = holder is None
            return holder

    @abstractmethod
    def _holder(self) -> str | None:
        """Take the lease if it is free; return who else holds it."""

    @abstractmethod
    def _give_up(self) -> None:
        """Let other runs take the lease."""


class FileLease(Lease):
    """A lease between processes on one machine."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(what, _LOOK_S["folder"])
        self._file = FileLock(path, thread_local=False)

    def _holder(self) -> str | None:
        try:
            self._file.acquire(blocking=False)
        except Timeout:
            return "another run on this machine"
        except OSError as error:
            raise LakeError(f"cannot lock the lake: {error}. Choose another --lake") from error
        return None

    def _give_up(self) -> None:
        self._file.release()


class ObjectLease(Lease):
    """A lease between machines that share a lake in S3."""

    def __init__(self, objects: Objects, key: str, what: str) -> None:
        super().__init__(what, _LOOK_S["s3"])
        self.objects = objects
        self.key = key
        self._token = secrets.token_hex(8)
        self._n_written = count(1)
        self._seen = ("", 0.0)  # version of another run's lease, and when we first saw it
        self._confirmed_at = 0.0  # when the last successful write began
        self._loss: str | None = None
        self._closing = threading.Event()
        self._renewing: threading.Thread | None = None

    def may_send(self) -> bool:
        """Return whether the lease was renewed recently enough."""
        if self._loss is not None:
            raise LeaseLost(f"{self._loss}; run the same command to go on")
        return self.is_taken and clock() - self._confirmed_at < _SURE * LENGTH_S

    def renew(self) -> None:
        """Renew the lease once; a thread calls this regularly."""
        began = clock()
        try:
            content, version = self.objects.read_versioned(self.key)
            if self._token.encode() not in content:
                self._loss = (
                    f"{_name(content) or 'another run'} has taken over {self.what}: "
                    f"this process could not renew its lease for {LENGTH_S:.0f} s"
                )
            elif self.objects.replace(self.key, self._content(), version):
                self._confirmed_at = began
        except NoSuchObject as deleted:
            self._loss = str(deleted)
        except LakeError as failing:
            if clock() - self._confirmed_at > _SURE * LENGTH_S:
                tell(f"calls to {self.what} wait until the lease on it can be renewed: {failing}")

    def _holder(self) -> str | None:
        began = clock()
        try:
            content, version = self.objects.read_versioned(self.key)
        except NoSuchObject:
            is_ours = self.objects.create(self.key, self._content())
        else:
            # Our own token is there if an earlier try succeeded but seemed to fail.
            holder = None if self._token.encode() in content else _name(content)
            if holder is not None and not self._is_void(version):
                return holder
            is_ours = self.objects.replace(self.key, self._content(), version)
        if not is_ours:
            return _name(self.objects.read(self.key)) or "another run"
        self._confirmed_at = began
        self._renewing = threading.Thread(target=self._renew_often, name="lease", daemon=True)
        self._renewing.start()
        return None

    def _is_void(self, version: str) -> bool:
        """Return whether we have seen this version unchanged for long enough."""
        if self._seen[0] != version:
            self._seen = (version, clock())
        return clock() - self._seen[1] > LENGTH_S

    def _give_up(self) -> None:
        self._closing.set()
        if self._renewing is not None:
            self._renewing.join()
        try:
            content, version = self.objects.read_versioned(self.key)
            if self._token.encode() in content:
                self.objects.replace(self.key, _FREE, version)
        except NoSuchObject:
            pass  # nobody waits for it
        except LakeError as failing:
            tell(f"other runs can use {self.what} only after {LENGTH_S:.0f} s: {failing}")

    def _renew_often(self) -> None:
        try:
            while not self._closing.wait(_RENEWED * LENGTH_S):
                self.renew()
        except BaseException as error:  # without renewals, nobody must wait for this holder
            self._loss = f"the lease on {self.what} is no longer renewed: {error!r}"
            raise

    def _content(self) -> bytes:
        """Return new lease content, different from every earlier write."""
        holder = {"host": socket.gethostname(), "pid": os.getpid(), "token": self._token}
        return orjson.dumps({"holder": holder, "what": self.what, "n": next(self._n_written)})


def _name(content: bytes) -> str | None:
    """Return who holds a lease with this content, or None."""
    try:
        holder = orjson.loads(content)["holder"]
        return None if holder is None else f"process {holder['pid']} on {holder['host']}"
    except (ValueError, TypeError, KeyError):  # damaged: void after its length, as any other
        return "another run"


def clock() -> float:
    """Return seconds on a clock that runs during sleep: others do not wait for us to wake up."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
