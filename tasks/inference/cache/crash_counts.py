"""Deaths of servers, by the calls that were in flight: a call that kills its server has to be found out.

A server that dies takes a whole program with it where nobody starts it again in time, so counts may have to outlive
the process: whoever has calls sent says where they are kept (`counting_deaths`). Runs that share a lake may share
a server as well, so that place also says whose turn it is to send it what may kill it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Keeping(Protocol):
    """What outlives the process and is seen by other runs: the lake's journal."""

    async def add_deaths(self, keys: Collection[str]) -> None:
        """Make one more death of each key durable, also where nobody waits for it to the end."""
        ...

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that nobody alive has claimed; they are claimed now."""
        ...

    def release(self, keys: Collection[str]) -> None:
        """Give claims up."""
        ...


class Deaths:
    """At how many deaths of its server each call was in flight, by the ledger's key of the call.

    Args:
        journal: keeps the counts, and whose turn it is; without it nothing outlives the process, and each run sends
            suspects as if it were the only one.
    """

    def __init__(self, journal: Keeping | None = None) -> None:
        self._journal = journal
        self._counts: dict[str, int] = {}

    def of(self, key: str) -> int:
        """How many."""
        return self._counts.get(key, 0)

    def recall(self, counts: Mapping[str, int]) -> None:
        """Take over what earlier runs have counted."""
        self._counts.update(counts)

    async def count(self, keys: Collection[str]) -> None:
        """Count one more for each of these keys; it is kept when this returns."""
        self._counts.update({key: self.of(key) + 1 for key in keys})
        if keys and self._journal is not None:
            await self._journal.add_deaths(keys)

    def forget(self, key: str) -> None:
        """The call is settled, and will not be sent any more."""
        self._counts.pop(key, None)

    def claim(self, server: str) -> bool:
        """Take the turn to send this server a suspect: a call that was in flight at one death, and is counted out at
        a second. False while another run has it; it would count a death that this run's suspect causes, and this run
        one of the other's.

        Raises:
            JournalError: the claim cannot be made.
        """
        return self._journal is None or bool(self._journal.claim([_turn_at(server)]))

    def release(self, server: str) -> None:
        """Give the turn up.

        Raises:
            JournalError: the claim cannot be given up.
        """
        if self._journal is not None:
            self._journal.release([_turn_at(server)])


def _turn_at(server: str) -> str:
    """The key of the claim; no call has one with a space in it."""
    return f"suspects of {server}"


_counting: ContextVar[Deaths] = ContextVar("deaths")


def deaths() -> Deaths:
    """The counts of whoever has calls sent; new ones where nobody keeps any."""
    return _counting.get(None) or Deaths()


@contextmanager
def counting_deaths(counts: Deaths) -> Iterator[None]:
    """Have the deaths of servers that are met in the block counted here."""
    token = _counting.set(counts)
    try:
        yield
    finally:
        _counting.reset(token)
