"""How many calls a replica has in flight: slots, given to the oldest group first, fewer when the server asks."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count

# The server's wishes are read off so many outcomes at least: one refusal among many asks for nothing.
_FEWEST_OUTCOMES = 16
_SHARE_THAT_ASKS = 0.05
_FALL, _CLIMB = 0.7, 0.1


class Slots:
    """The slots of one replica: at most `most`, as many as the server seems to bear.

    Their number falls to seven tenths when more than a twentieth of a round's calls were asked to slow
    down, and climbs by a tenth of `most` with each round that was not: a lone refusal changes nothing,
    and a server that recovers is used again within ten rounds. A round is as many outcomes as there are
    slots.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.taken = 0
        self._waiting: list[tuple[tuple[int, ...], int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._outcomes = 0
        self._slowed = 0
        self._changed = asyncio.Event()

    @property
    def has_room(self) -> bool:
        """Whether a slot is free and nobody waits for one."""
        return not self._waiting and self.taken < max(1, int(self.limit))

    async def room(self) -> None:
        """Return when a slot is free and nobody waits for one."""
        while not self.has_room:
            self._changed.clear()
            await self._changed.wait()

    def ask(self, place: tuple[int, ...]) -> asyncio.Future[None]:
        """A place in the queue for a slot; the lowest place is served first. Await it, then `give_back`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (place, next(self._numbers), future))
        self._serve()
        return future

    def give_back(self) -> None:
        """Free a slot."""
        self.taken -= 1
        self._serve()

    def count(self, *, slowed: bool) -> None:
        """Learn from a call's outcome how many calls the server bears."""
        self._outcomes += 1
        self._slowed += slowed
        if self._outcomes < max(_FEWEST_OUTCOMES, int(self.limit)):
            return
        if self._slowed > _SHARE_THAT_ASKS * self._outcomes:
            self.limit = max(1.0, self.limit * _FALL)
        else:
            self.limit = min(float(self.most), self.limit + max(1.0, self.most * _CLIMB))
        self._outcomes = self._slowed = 0
        self._serve()

    def _serve(self) -> None:
        while self._waiting and self.taken < max(1, int(self.limit)):
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():  # whoever waited may have been cancelled
                self.taken += 1
                future.set_result(None)
        self._changed.set()
