"""Deaths of servers, by the calls that were in flight: a call that kills its server has to be found out.

A server that dies takes a whole program with it where nobody starts it again in time, so counts may have to outlive
the process: whoever has calls sent says where they are kept (`counting_deaths`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar


class Deaths:
    """At how many deaths of its server each call was in flight, by the ledger's key of the call.

    Args:
        keep: makes one more death of each key durable, also where nobody waits for it to the end; nothing outlives
            the process when not given.
    """

    def __init__(self, keep: Callable[[Collection[str]], Awaitable[None]] | None = None) -> None:
        self._keep = keep
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
        if keys and self._keep is not None:
            await self._keep(keys)

    def forget(self, key: str) -> None:
        """The call is settled, and will not be sent any more."""
        self._counts.pop(key, None)


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
