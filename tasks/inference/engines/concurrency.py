"""Limit the calls in flight to a replica, as the server asks."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

# One refusal in a round, or one in twenty, does not ask us to slow down.
_FEWEST_OUTCOMES = 16
_MOST_SLOWED, _SHARE_THAT_ASKS = 1, 0.05
_FALL = 0.7
_CLIMB = 0.125


class Slots:
    """The slots of one replica, as many as its server bears, and at most `most`.

    A round is as many outcomes as there are slots. If the server tells more than 5 % of a round's
    calls to slow down, the number of slots falls by 30 %: at most once per round trip. Every other
    call adds 1/8 slot. `changed` is called whenever a slot may have become free.
    """

    def __init__(self, most: int, changed: Callable[[], None]) -> None:
        self.most = most
        self.limit = float(most)
        self.taken = 0
        self._changed = changed
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._outcomes = 0
        self._slowed = 0

    @property
    def has_room(self) -> bool:
        """Whether a slot is free and nobody waits for one."""
        return not self._waiting and self.taken < int(self.limit)

    def ask(self, place: int) -> asyncio.Future[None]:
        """Queue for a slot, lowest place first; await `granted`, and `give_back` afterwards."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (place, next(self._numbers), future))
        self._serve()
        return future

    async def granted(self, asked: asyncio.Future[None]) -> None:
        """Wait for a requested slot; if cancelled, pass it on."""
        try:
            await asked
        except asyncio.CancelledError:
            if asked.done() and not asked.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Free a slot."""
        self.taken -= 1
        self._serve()

    def count(self, *, slowed: bool) -> None:
        """Learn from a call's outcome how many calls the server bears."""
        self._outcomes += 1
        self._slowed += slowed
        if not slowed:
            self.limit = min(float(self.most), self.limit + _CLIMB)
        if self._outcomes >= max(_FEWEST_OUTCOMES, int(self.limit)):
            if self._slowed > max(_MOST_SLOWED, _SHARE_THAT_ASKS * self._outcomes):
                self.limit = max(1.0, self.limit * _FALL)
            self._outcomes = self._slowed = 0
        self._serve()

    def _serve(self) -> None:
        while self._waiting and self.taken < int(self.limit):
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():  # the waiting task may have been cancelled
                self.taken += 1
                future.set_result(None)
        self._changed()
