"""What a run holds in memory hardly grows with its groups."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.operation import Call, Group
from tests.calls import group_of
from tests.kept import Sending
from tests.played import MODEL

N_GROUPS = 5_000
# 40 bytes are a place in a queue; the rest is what is in flight, divided by the groups. A group
# that the ledger has wrapped beforehand takes 370.
MOST_BYTES = 100


class SeenEnough(Exception):
    """Ends a run."""


def test_groups_that_wait_for_their_turn_take_hardly_any_memory(journal: ResponseCache) -> None:
    def group(number: int) -> Group:
        async def opened() -> list[Call]:
            return group_of(f"Document {number}.", 1, MODEL)

        return Group("document", "ask", 5, 1, opened)

    groups = [group(number) for number in range(N_GROUPS)]
    asyncio.run(groups[0].open())  # what the first counting of tokens loads is there for good
    journal.prepare()
    taken: list[int] = []

    async def read() -> None:
        async for _ in Client(Sending(lambda call: "Well."), journal).stream(groups):
            taken.append(tracemalloc.get_traced_memory()[0])
            if len(taken) == 20:
                raise SeenEnough

    tracemalloc.start()
    try:
        with pytest.raises(SeenEnough):
            asyncio.run(read())
    finally:
        tracemalloc.stop()
    assert max(taken) < MOST_BYTES * N_GROUPS
