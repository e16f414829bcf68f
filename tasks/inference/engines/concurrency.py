"""How many calls a replica has in flight: slots, given to the oldest group first, fewer when the server asks."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

# What the server wishes is read off a round of outcomes; one refusal, or one in twenty, asks for nothing.
_FEWEST_OUTCOMES = 16
_MOST_SLOWED, _SHARE_THAT_ASKS = 1, 0.05
_FALL = 0.7
_CLIMB = 0.125


class Slots:
    """The slots of one replica: at most `most`, as many as the server seems to bear.

    Their number falls to seven tenths when more than a twentieth of a round's calls were told to slow down,
    and climbs by an eighth of a slot with each that was not: from one slot to 64 in 25 rounds, and where a
    server bears fewer than `most`, gently past what it bears. A round is as many outcomes as there are slots,
    so the number falls once per round trip.

    Args:
        changed: called whenever a slot may have become free.
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
        """A place in the queue for a slot; the lowest place is served first. Await `granted`, then `give_back`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (place, next(self._numbers), future))
        self._serve()
        return future

    async def granted(self, asked: asyncio.Future[None]) -> None:
        """Wait for a slot that was asked for; whoever is cancelled meanwhile leaves it to the next."""
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
            if not future.done():  # whoever waited may have been cancelled
                self.taken += 1
                future.set_result(None)
        self._changed()
